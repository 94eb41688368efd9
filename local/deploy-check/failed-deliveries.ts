import { parseArn } from '../../policy/arn';
import type { LocalAws } from '../facade/local-aws';
import { AwsError } from '../kernel/aws-error';
import { response } from '../network/outside-endpoint';
import type { End } from './message-history';
import type { Traffic } from './traffic';

/** What becomes of a message that its receiver never takes. */
export interface FailedDelivery {
  readonly receiver: string;
  readonly end: End;
}

/** By what was sent, and the receiver. */
export type FailedDeliveries = ReadonlyMap<string, FailedDelivery>;

const HOURS_OF_STREAMS = 25;

/**
 * Makes every delivery fail, sends once more from each source, and says where each message ends that SNS, EventBridge, Scheduler or the
 * mapping of a stream gives up. The simulation is of no other use after that: queues and functions are gone, then also the topics
 * that are targets of rules and schedules.
 */
export async function failDeliveries(aws: LocalAws, traffic: Traffic): Promise<FailedDeliveries> {
  const failed = new Map<string, FailedDelivery>();
  const streamed = readersOfStreams(aws);
  traffic.failsAlways = true;
  traffic.history.isOver = true;
  for (const services of [['sqs', 'lambda', 'http'], ['sns']]) {
    deleteReceivers(aws, traffic, it => services.includes(serviceOf(it)) && !streamed.has(it));
    // A queue that is being deleted may take messages for a minute.
    await aws.advance({ minutes: 2 });
    const sent = traffic.sendOnce();
    await aws.advance(streamed.size > 0 ? { hours: HOURS_OF_STREAMS } : { hours: 1 });
    for (const [token, sourceId] of sent) {
      for (const end of traffic.history.ends.get(token) ?? []) {
        const receiver = end.receiver && traffic.nameOf(end.receiver);
        const key = `${sourceId} ${receiver}`;
        if (receiver === undefined || failed.get(key)?.end.becomes === 'lost') continue;
        failed.set(key, { receiver, end });
      }
    }
  }
  return failed;
}

/** What the old version puts into a dead-letter queue, and the new one loses. */
export function lostFailures(old: FailedDeliveries, next: FailedDeliveries): readonly FailedDelivery[] {
  return [...next].flatMap(([key, delivery]) =>
    delivery.end.becomes === 'lost' && old.get(key)?.end.becomes === 'dead-lettered' ? [delivery] : [],
  );
}

const serviceOf = (receiver: string): string =>
  receiver.startsWith('arn:') ? (parseArn(receiver)?.service ?? '') : 'http';

function readersOfStreams(aws: LocalAws): ReadonlySet<string> {
  const mappings = aws.whole.all.flatMap(({ lambda }) => lambda.eventSourceMappings());
  const ofStreams = mappings.filter(({ configuration }) => serviceOf(configuration.queueArn) !== 'sqs');
  return new Set(ofStreams.map(({ target }) => target.deployed.arn));
}

function deleteReceivers(aws: LocalAws, traffic: Traffic, isWanted: (receiver: string) => boolean): void {
  const dead = traffic.deadLetterArns;
  const receivers = aws.whole.all.flatMap(({ sns, events, scheduler }) => [
    ...sns.subscriptions().map(({ endpoint }) => endpoint),
    ...events.rules().flatMap(({ targets }) => [...targets.values()].map(({ arn }) => arn)),
    ...scheduler.schedules().map(({ definition }) => definition.target.Arn),
  ]);
  for (const receiver of new Set(receivers)) {
    if (!isWanted(receiver) || dead.has(receiver)) continue;
    const remove = DELETE[serviceOf(receiver)];
    try {
      remove?.(aws, receiver);
    } catch (error) {
      // It does not exist, or its policy denies that to everyone: then deliveries fail as well.
      if (!(error instanceof AwsError)) throw error;
    }
  }
}

const DELETE: Readonly<Record<string, (aws: LocalAws, receiver: string) => void>> = {
  sqs: (aws, arn) => {
    const { sqs } = aws.services.at(arn);
    const QueueUrl = sqs.queueByArn(arn)?.url;
    if (QueueUrl !== undefined) sqs.call('DeleteQueue', sqs.owner, { QueueUrl });
  },
  lambda: (aws, arn) => {
    const { lambda } = aws.services.at(arn);
    lambda.call('DeleteFunction', lambda.owner, { FunctionName: arn.split(':').slice(0, 7).join(':') });
  },
  sns: (aws, TopicArn) => {
    const { sns } = aws.services.at(TopicArn);
    sns.call('DeleteTopic', sns.owner, { TopicArn });
  },
  http: (aws, url) => {
    if (URL.canParse(url) && url.startsWith('http')) aws.endpoint(new URL(url).host).behave({ reply: response(400) });
  },
};
