// SPDX-License-Identifier: Apache-2.0

import { byInput, Curve } from './growth-report';

/** In pixels. */
const PANEL = { width: 360, height: 210, left: 44, top: 34, right: 12, bottom: 26 };
const LEGEND_LINE = 15;
/** Distinct on black and on white, also for colour-blind people. */
const COLORS = ['#3987e5', '#d17a00', '#1a9e77', '#c0569d', '#8a6fd1', '#7a8600', '#2ba3b5', '#c2513a', '#808080'];

/**
 * One panel for each input: how many times the figure at the smallest size. Both axes are logarithmic, so what grows as its input is a
 * straight line as steep as the dashed one. Written by hand: no library makes plain SVG without a page, and these are lines and texts.
 */
export function plot(curves: readonly Curve[]): string {
    const panels = byInput(curves.filter(({ points }) => points.length > 2));
    const longest = Math.max(...panels.map(panel => panel.curves.length));
    const height = PANEL.height + LEGEND_LINE * longest + 12;
    const rows = Math.ceil(panels.length / 2);
    const body = panels.map((panel, index) => {
        const [x, y] = [(index % 2) * PANEL.width, Math.floor(index / 2) * height];
        return `<g transform="translate(${x} ${y})">${draw(panel.input, panel.curves)}</g>`;
    });
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * PANEL.width} ${rows * height}" font-family="system-ui, sans-serif" font-size="11">
<style>text { fill: #333 } .axis { stroke: #999 } .grid { stroke: #999; stroke-opacity: .25 } @media (prefers-color-scheme: dark) { text { fill: #ccc } }</style>
${body.join('\n')}
</svg>
`;
}

function draw(input: string, curves: readonly Curve[]): string {
    const sizes = curves[0].points.map(({ size }) => size);
    const most = sizes[sizes.length - 1] / sizes[0];
    const { width, height, left, top, right, bottom } = PANEL;
    const x = (size: number): number => left + (Math.log(size / sizes[0]) / Math.log(most)) * (width - left - right);
    // Up to as many times as the input, and a little below the smallest size.
    const [low, high] = [0.5, most];
    const y = (times: number): number => {
        const share = Math.log(Math.min(Math.max(times, low), high) / low) / Math.log(high / low);
        return height - bottom - share * (height - top - bottom);
    };
    const ticks = [1, 10, 100, 1000].filter(times => times <= most);
    const parts = [
        `<text x="${left}" y="16" font-size="13" font-weight="600">${input}</text>`,
        ...ticks.map(times => line('grid', left, y(times), width - right, y(times)) + label(left - 6, y(times) + 4, `${times}x`, 'end')),
        ...sizes.map(size => label(x(size), height - bottom + 16, String(size), 'middle')),
        line('axis', left, height - bottom, width - right, height - bottom),
        `<path class="axis" fill="none" stroke-dasharray="4 4" d="M${point(x(sizes[0]), y(1))} L${point(x(sizes[sizes.length - 1]), y(most))}"/>`,
        label(x(sizes[1]) - 8, y(sizes[1] / sizes[0]) - 8, 'as its input', 'end')
    ];
    curves.forEach(({ title, unit, points }, index) => {
        const color = COLORS[index % COLORS.length];
        const places = points.map(({ size, value }) => [x(size), y(value / points[0].value)] as const);
        parts.push(`<path fill="none" stroke="${color}" stroke-width="2" d="M${places.map(([px, py]) => point(px, py)).join(' L')}"/>`);
        parts.push(...places.map(([px, py]) => `<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="3" fill="${color}"/>`));
        const legend = height + 6 + index * LEGEND_LINE;
        parts.push(`<rect x="${left}" y="${legend - 8}" width="10" height="10" rx="2" fill="${color}"/>`);
        parts.push(label(left + 16, legend + 1, unit === 'ms' ? title : `${title}, ${unit}`, 'start'));
    });
    return parts.join('');
}

function line(name: string, x1: number, y1: number, x2: number, y2: number): string {
    return `<path class="${name}" d="M${point(x1, y1)} L${point(x2, y2)}"/>`;
}

function label(x: number, y: number, text: string, anchor: string): string {
    return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
}

function point(x: number, y: number): string {
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
