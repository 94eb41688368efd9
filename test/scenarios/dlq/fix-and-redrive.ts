import type { AwsCall } from '../../../diagnosis/fixes/fix';
import type { OperatedAccount } from '../../bin/operated-account';
import { applyCalls } from '../../support/apply-fix';

/** A cause in the output of `dlo dlq why --json`. */
interface ReportedCause {
  readonly code: string;
  readonly messages: number;
  readonly fix: { readonly says: string; readonly calls: readonly AwsCall[] };
}

/** Runs `why`, which must name one cause of a queue's messages, and makes exactly the calls of its fix. */
export async function fixAsAdvised(operator: OperatedAccount, url: string, queue: string): Promise<ReportedCause> {
  const { causes, unexplained } = await operator.json(`why ${queue}`);
  expect([causes.length, unexplained]).toEqual([1, []]);
  const [cause] = causes;
  expect(cause.fix.calls).not.toEqual([]);
  await applyCalls(url, cause.fix.calls);
  await operator.deployed.advance({ minutes: 1 });
  return cause;
}

/** Plans a redrive and executes that plan. Returns the output of `redrive --json`. */
export async function redriveAll(operator: OperatedAccount, queue: string) {
  const { plan } = await operator.json(`redrive ${queue}`);
  const { exitCode, out } = await operator.dlo(`redrive ${queue} --execute ${plan} --json`);
  expect(exitCode).toBe(0);
  return JSON.parse(out);
}
