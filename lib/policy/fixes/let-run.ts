import { nameInArn } from '../arn';
import type { FunctionFacts, KeyFacts } from '../inventory/inventory';
import { toldOf } from '../inventory/told';
import type { Fix } from './fix';

/** Lets a function run that has no concurrency, or too little. */
export function letRun({ arn, reservedConcurrency }: FunctionFacts): Fix {
  const reserved = toldOf(reservedConcurrency);
  const name = nameInArn(arn);
  const input = { FunctionName: arn };
  if (reserved === undefined) {
    return {
      says: `Reserve concurrency for the function ${name}, or ask AWS for more than the account's quota: others use it up.`,
    };
  }
  const why = reserved === 0 ? 'was switched off' : `may run only ${reserved} times at once`;
  return {
    says: `Take away the reserved concurrency of the function ${name}, which ${why}, or raise it.`,
    calls: [{ service: 'lambda', operation: 'DeleteFunctionConcurrency', input }],
  };
}

/** Has an event source mapping feed its function again. */
export function resumeMapping(uuid: string, functionArn: string): Fix {
  return {
    says: `Enable the event source mapping of the function ${nameInArn(functionArn)} again, once you know who disabled it.`,
    calls: [{ service: 'lambda', operation: 'UpdateEventSourceMapping', input: { UUID: uuid, Enabled: true } }],
  };
}

/** Has a key work again that somebody disabled. */
export function enableKey({ arn, name }: KeyFacts): Fix {
  return {
    says: `Enable the key ${name} again, once you know who disabled it.`,
    calls: [{ service: 'kms', operation: 'EnableKey', input: { KeyId: arn } }],
  };
}
