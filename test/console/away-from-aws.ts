import type { ConsoleSource } from '../../console/server/source';

/** No request to AWS is answered. */
export const awayFromAws: ConsoleSource = {
  kind: 'aws',
  options: { region: 'us-east-1' },
  site: { options: {} },
  requestsInLastMinute: 0,
  use: () => Promise.reject(new Error('AWS is away')),
  alone: () => Promise.reject(new Error('AWS is away')),
  nowMs: async () => 0,
  close: async () => {},
};
