import { signal } from '@preact/signals';

/** The time of the AWS that is shown. It moves once a second between two messages of the server. */
export const nowMs = signal(Date.now());

let known = { atMs: Date.now(), heardMs: performance.now(), speed: 1 };

/** @param speed how many seconds pass there in a second */
export function setClock(atMs: number, speed: number): void {
  known = { atMs, heardMs: performance.now(), speed };
  nowMs.value = atMs;
}

setInterval(() => {
  nowMs.value = known.atMs + (performance.now() - known.heardMs) * known.speed;
}, 1_000);
