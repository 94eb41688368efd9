import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { Connection } from '../../account/connection/connection';
import { type FactClients, factReader } from '../../lambda/redrive/facts';
import { metricReader } from '../../lambda/redrive/metric-reader';
import { awsFailureOf } from '../../lambda/redrive/refusal';
import { planRedrive } from '../../policy/redrive/plan-redrive';
import type { RedrivePlan } from '../../policy/redrive/redrive-decision';
import type { RedriveFacts } from '../../policy/redrive/redrive-facts';
import { hasSettings, type KnownRedrive, type Redrive } from './redrive';

/** What a look at AWS shows of a redrive, and what its function would make of the same. */
export interface RedriveView {
  readonly redrive: KnownRedrive;
  readonly facts: RedriveFacts;
  /** What the function's next tick does. */
  readonly byItself: RedrivePlan;
  /** What it would do if an operator asked for a run now. */
  readonly ifAsked: RedrivePlan;
}

/** A redrive, and what was seen of it. */
export interface RedriveLook {
  readonly redrive: Redrive;
  /** Undefined where its settings cannot be read. */
  readonly seen: RedriveView | undefined;
  /** What there is none of, in AWS's words. */
  readonly warnings: readonly string[];
}

/** Where AWS lets nobody ask, or does not answer, its function makes do with less. What there is none of is an answer. */
function isNoAnswer(error: Error): boolean {
  const refusal = awsFailureOf(error, '');
  return refusal !== undefined && refusal.outcome !== 'refused';
}

/** Who is asked of redrives. They fail where the function would make do with less: then nobody knows what that would do. */
export function factClients(aws: Connection): FactClients {
  const cloudWatch = aws.client(CloudWatchClient, isNoAnswer);
  return {
    sqs: aws.client(SQSClient, isNoAnswer),
    cloudWatch,
    figures: metricReader(cloudWatch),
    lambda: aws.client(LambdaClient, isNoAnswer),
    ssm: aws.client(SSMClient, isNoAnswer),
  };
}

/**
 * Sees a redrive as its function sees it, and decides as it does. It takes the permissions `sqs:GetQueueAttributes`,
 * `sqs:ListMessageMoveTasks`, `cloudwatch:DescribeAlarms`, `cloudwatch:DescribeAlarmHistory`, `cloudwatch:GetMetricData`,
 * `lambda:GetEventSourceMapping` and `ssm:GetParameter`.
 */
export async function lookAt(clients: FactClients, redrive: Redrive, nowMs: () => number): Promise<RedriveLook> {
  if (!hasSettings(redrive)) return { redrive, seen: undefined, warnings: [] };
  const { settings, name } = redrive;
  const looking = factReader(clients, settings, name, nowMs);
  const { facts, unread } = await looking.readAll(await looking.readFirst(), 'tick');
  const seen = {
    redrive,
    facts,
    byItself: planRedrive(settings, facts),
    ifAsked: planRedrive(settings, { ...facts, trigger: 'operator' }),
  };
  return { redrive, seen, warnings: unread.map(it => `${name}: ${it}`) };
}
