import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { copyRunner } from '../lambda/redrive/copying/copying-carrier';
import type { StepRunner, WriteMetrics } from '../lambda/redrive/ports';
import { replayRunner } from '../lambda/redrive/replaying/replaying-carrier';
import type { NowMs, Wait } from '../lambda/shared/clock';
import type { RedriveSettings } from '../policy/redrive/redrive-settings';

/** What the carriers take that move messages themselves. */
export interface StepRunnerPorts {
  /** Like `lambda`, as `STINT_CLIENT_CONFIG` has it. */
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly tell: WriteMetrics;
}

type Settings = Pick<
  RedriveSettings,
  'deadLetters' | 'destination' | 'mayCarry' | 'failures' | 'quarantine' | 'settleMs'
>;

/**
 * Who moves messages to the destination where SQS does not: to a queue by copying them, to a function by replaying them. Nobody
 * where the function has not what that takes.
 */
export function stepRunners(
  { deadLetters, destination, mayCarry, failures, quarantine, settleMs }: Settings,
  { sqs, lambda, ...ports }: StepRunnerPorts,
): Partial<Readonly<Record<'copy' | 'replay', StepRunner>>> {
  if (!mayCarry) return {};
  if (destination.kind === 'queue') {
    return { copy: copyRunner({ ...ports, client: sqs, deadLetters, destination }) };
  }
  const isFedByIt = failures?.arn === deadLetters.arn;
  return {
    replay: replayRunner({
      ...ports,
      sqs,
      lambda,
      deadLetters,
      destination,
      ...(isFedByIt && { comesBackWithinMs: settleMs }),
      ...(quarantine && { quarantine }),
    }),
  };
}
