import { parentPort } from 'node:worker_threads';
import { handler, type OneCall } from './one-call.lambda';

/** Repeats the same call, one after the other. */
export interface OneCallLoad extends OneCall {
  readonly times: number;
}

async function run({ times, ...call }: OneCallLoad): Promise<void> {
  for (let i = 0; i < times; i += 1) await handler(call);
  parentPort?.postMessage('done');
}

parentPort?.on('message', (load: OneCallLoad) => {
  run(load).catch(error => {
    throw error;
  });
});
