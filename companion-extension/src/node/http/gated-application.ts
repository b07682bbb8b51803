// SPDX-License-Identifier: Apache-2.0

import { IncomingMessage, ServerResponse } from 'http';
import { ILogger } from '@theia/core/lib/common/logger';
import * as express from '@theia/core/shared/express';
import { REFUSED, sendError } from './json-rpc-error';

/** Code of JSON-RPC. */
const INTERNAL_ERROR = -32603;

/** @param cliId whose token the request has. May reject: the request is answered with an error. */
export type GatedHandler = (request: IncomingMessage, response: ServerResponse, cliId: string) => Promise<void>;

/** By the methods of their requests. */
export type GatedRoutes = Readonly<Record<'get' | 'post' | 'delete', GatedHandler>>;

interface Locals {
    cliId: string;
}

/** The express application of a dialect, behind the gate of its listener. It reads no body, adds no header, and answers with errors of JSON-RPC. */
export class GatedApplication {
    protected readonly application = express();

    constructor(
        protected readonly logger: Pick<ILogger, 'error'>,
        path: string,
        routes: GatedRoutes
    ) {
        const { application } = this;
        // The gate compares the path as it came: nothing is made of it.
        ['x-powered-by', 'etag', 'query parser'].forEach(setting => application.disable(setting));
        ['strict routing', 'case sensitive routing'].forEach(setting => application.enable(setting));
        application.get(path, this.route(routes.get));
        application.post(path, this.route(routes.post));
        application.delete(path, this.route(routes.delete));
        application.use((_request: express.Request, response: express.Response) => sendError(response, 404, REFUSED, 'Not found'));
        application.use(this.fail);
    }

    /** Serves a request that the gate let pass. */
    serve(request: IncomingMessage, response: ServerResponse, cliId: string): void {
        const locals: Locals = { cliId };
        this.application(request, Object.assign(response, { locals }));
    }

    /** Express (4.22) gives both another prototype, with names that Node may take. The MCP SDK gets them as they were. */
    protected route(handler: GatedHandler): express.RequestHandler<Record<string, string>, unknown, unknown, unknown, Locals> {
        return (request, response, next) => {
            const { cliId } = response.locals;
            Object.setPrototypeOf(request, IncomingMessage.prototype);
            Object.setPrototypeOf(response, ServerResponse.prototype);
            handler(request, response, cliId).catch(next);
        };
    }

    /** Express tells a handler of errors by its four parameters. */
    protected readonly fail: express.ErrorRequestHandler = (error, _request, response, _next) => {
        this.logger.error('A request failed', error);
        if (response.headersSent) {
            response.destroy();
        } else {
            sendError(response, 500, INTERNAL_ERROR, 'Internal error');
        }
    };
}
