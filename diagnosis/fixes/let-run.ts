import { displayNameOf } from '../../policy/arn';
import { counted } from '../../policy/wording';
import { knownValue } from '../../template/told';
import type { FunctionFacts } from '../inventory/inventory';
import type { Fix } from './fix';

/**
 * Lets a function run that has no concurrency, or too little. A cap that somebody set is theirs to lift: it may protect a
 * database.
 */
export function letRun({ arn, reservedConcurrency }: FunctionFacts): Fix {
  const reserved = knownValue(reservedConcurrency);
  const name = displayNameOf(arn);
  if (reserved === undefined) {
    return {
      says: `Reserve concurrency for the function ${name}, or ask AWS for more than the account's quota: others use it up.`,
    };
  }
  if (reserved > 0) {
    const most = counted(reserved, 'time', 'times');
    return {
      says: `Reserve more concurrency for the function ${name}, which may run only ${most} at once, once you know what that cap protects.`,
    };
  }
  return {
    says: `Take away the reserved concurrency of the function ${name}, which was switched off, or raise it.`,
    calls: [{ service: 'lambda', operation: 'DeleteFunctionConcurrency', input: { FunctionName: arn } }],
  };
}
