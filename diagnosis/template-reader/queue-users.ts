import type { PropertyValue } from '../../template/given';
import { isKnown, type MaybeKnown, thenKnown, type Unknown } from '../../template/told';
import type { QueueUserFacts } from '../inventory/inventory';
import type { AppReading } from './app-reading';
import type { ResourceReading } from './resource-reading';

const URL = /^https:\/\/sqs\.([^./]+)\.[^/]+\/([^/]+)\/([^/]+)$/;

/** The ARN of the queue at a URL; undefined where it is none of SQS's. */
export function queueArnAt(url: string, partition: string): string | undefined {
  const [, region, account, name] = URL.exec(url) ?? [];
  return region && account && name ? `arn:${partition}:sqs:${region}:${account}:${name}` : undefined;
}

function deadLettersIn(of: PropertyValue): MaybeKnown<string | undefined> {
  return of.at('DeadLetterConfig').at('Arn').text(undefined);
}

/** Sources from which a pipe sends what fails to a queue. */
const STREAMS: readonly string[] = ['KinesisStreamParameters', 'DynamoDBStreamParameters'];

function pipe(resource: ResourceReading): QueueUserFacts {
  const parameters = resource.given('SourceParameters');
  const targets = STREAMS.map(it => deadLettersIn(parameters.at(it)));
  return {
    ...resource.as(resource.attribute('Arn')),
    sourceArn: resource.given('Source').requiredText(),
    deadLetterTargetArn: targets.find(it => !isKnown(it)) ?? targets.find(it => it !== undefined),
  };
}

function bus(resource: ResourceReading): QueueUserFacts {
  const deadLetterTargetArn = resource.given('DeadLetterConfig').at('Arn').text(undefined);
  return { ...resource.as(resource.attribute('Arn')), sourceArn: undefined, deadLetterTargetArn };
}

const NO_URL: Unknown = { unknownBecause: 'is not the URL of a queue' };

function iotRule(resource: ResourceReading): QueueUserFacts {
  const { partition } = resource.stack.environment;
  const url = resource.given('TopicRulePayload').at('ErrorAction').at('Sqs').at('QueueUrl').text(undefined);
  const deadLetterTargetArn = thenKnown(url, it =>
    it === undefined ? undefined : (queueArnAt(it, partition) ?? NO_URL),
  );
  return { ...resource.as(resource.attribute('Arn')), sourceArn: undefined, deadLetterTargetArn };
}

/** What of an app's templates has to do with queues, and is of no kind of which more is asked. */
export function readQueueUsers(app: AppReading): QueueUserFacts[] {
  return [
    ...app.resources('AWS::Events::EventBus').map(bus),
    ...app.resources('AWS::Pipes::Pipe').map(pipe),
    ...app.resources('AWS::IoT::TopicRule').map(iotRule),
  ];
}
