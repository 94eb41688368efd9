import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { LocalAws } from '../../local';
import { type Ratio, type Row, sideBySide, threadTimed } from './measure';
import { synthesized } from './synthesized';

const ROUNDS = 3;
const ALARMS = 50;
const DAYS = 30;
const EVALUATIONS = ALARMS * DAYS * 24 * 60;

/** Fifty queues, each with an alarm on its depth. */
function manyAlarms(app: App): void {
  const stack = new Stack(app, 'ManyAlarms');
  for (let i = 1; i <= ALARMS; i += 1) {
    const queue = new Queue(stack, `Queue${i}`);
    new Alarm(stack, `Alarm${i}`, {
      metric: queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum' }),
      threshold: 0,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (i === 1) new CfnOutput(stack, 'QueueUrl', { value: queue.queueUrl });
  }
}

async function jump(assembly: string): Promise<void> {
  const aws = await LocalAws.deploy(assembly);
  const { sqs } = aws.services;
  // One message keeps the metrics of one queue alive, so that one alarm has data.
  sqs.call('SendMessage', sqs.owner, { QueueUrl: aws.output('QueueUrl'), MessageBody: 'unread' });
  await aws.advance({ days: DAYS });
  const rang = aws.trace.events.filter(({ type }) => type === 'cloudwatch.alarm-state-changed').length;
  if (rang === 0) throw new Error('no alarm rang');
  await aws.close();
}

/** Makes one comparison for each minute and alarm: the minimum work of evaluating every alarm each minute. */
function bareComparisons(): void {
  const depths = Float64Array.from({ length: ALARMS }, (_, i) => i);
  let above = 0;
  for (let i = 0; i < EVALUATIONS; i += 1) above += (depths[i % ALARMS] ?? 0) > 25 ? 1 : 0;
  if (above === 0) throw new Error('nothing compared');
}

async function idleJump(assembly: string): Promise<Ratio> {
  const [measuredMs, againstMs] = await sideBySide(ROUNDS, () => jump(assembly), bareComparisons, threadTimed);
  return {
    what: `${DAYS} idle days with ${ALARMS} alarms`,
    measuredMs,
    against: `${EVALUATIONS.toLocaleString('en')} bare comparisons, one a minute and alarm`,
    againstMs,
  };
}

export const ROWS: readonly Row[] = [() => synthesized(manyAlarms, idleJump)];
