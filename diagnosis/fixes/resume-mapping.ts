import { displayNameOf } from '../../policy/arn';
import type { Fix } from './fix';

/** Has an event source mapping feed its function again. */
export function resumeMapping(uuid: string, functionArn: string): Fix {
  return {
    says: `Enable the event source mapping of the function ${displayNameOf(functionArn)} again, once you know who disabled it.`,
    calls: [{ service: 'lambda', operation: 'UpdateEventSourceMapping', input: { UUID: uuid, Enabled: true } }],
  };
}
