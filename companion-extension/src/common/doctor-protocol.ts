// SPDX-License-Identifier: Apache-2.0

import { Diagnosis } from './diagnosis';

export const doctorPath = '/services/companion/doctor';

export const DoctorBackend = Symbol('DoctorBackend');
/** What a page calls for a diagnosis. Refused before the window has said hello. */
export interface DoctorBackend {
    /**
     * What keeps each CLI from connecting, or would, in a terminal. Changes nothing, and may take half a minute.
     * @param shell the process id of the terminal's shell; absent if none is selected
     */
    diagnose(shell?: number): Promise<Diagnosis>;
}
