import { nameInArn } from '../../policy/arn';
import type { PolicyDocument } from '../../template/access/policy-document';
import { allKnown, isKnown, type MaybeKnown, thenKnown, type Unknown } from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import type { QueueFacts, RedriveAllowPolicyFacts, RedrivePolicyFacts, TemplatePlace } from '../inventory/inventory';
import type { AppReading, ResourceReading } from './app-reading';
import { type Attached, onlyGiven } from './attached';

/** SQS's defaults. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html */
const RETENTION_SECONDS = 345_600;
const VISIBILITY_TIMEOUT_SECONDS = 30;

type PolicyOf = Attached<MaybeKnown<PolicyDocument | undefined>>;

function queuePolicies(app: AppReading): PolicyOf[] {
  const shared = app
    .resources('AWS::SQS::QueuePolicy')
    .map((by): PolicyOf => ({ by, to: by.given('Queues').texts(), value: policy(by) }));
  const inline = app
    .resources('AWS::SQS::QueueInlinePolicy')
    .map((by): PolicyOf => ({ by, to: by.given('Queue').texts(), value: policy(by) }));
  return [...shared, ...inline];
}

function policy(by: ResourceReading): MaybeKnown<PolicyDocument | undefined> {
  return by.given('PolicyDocument').policy();
}

function part<T>(given: PropertyValue, why: Unknown, read: (given: PropertyValue) => T): MaybeKnown<T | undefined> {
  if (given.isPresent === undefined) return why;
  return given.isPresent ? read(given.parsed()) : undefined;
}

const CONDITIONAL: Unknown = { unknownBecause: 'depends on a value that is only known at deployment' };

function redrivePolicy(given: PropertyValue): RedrivePolicyFacts {
  return {
    deadLetterTargetArn: given.at('deadLetterTargetArn').requiredText(),
    maxReceiveCount: given.at('maxReceiveCount').requiredNumber(),
  };
}

function redriveAllowPolicy(given: PropertyValue): RedriveAllowPolicyFacts {
  return {
    permission: given.at('redrivePermission').text('allowAll'),
    sourceQueueArns: thenKnown(given.at('sourceQueueArns').texts(), allKnown),
  };
}

export function readQueues(app: AppReading): QueueFacts[] {
  const policies = queuePolicies(app);
  const own = app.resources('AWS::SQS::Queue').map((queue): QueueFacts => {
    const url = queue.ref;
    const arn = queue.attribute('Arn');
    return {
      ...queue.as(arn),
      isFifo: isFifoType(queue.given('FifoQueue'), arn),
      retentionSeconds: queue.given('MessageRetentionPeriod').number(RETENTION_SECONDS),
      visibilityTimeoutSeconds: queue.given('VisibilityTimeout').number(VISIBILITY_TIMEOUT_SECONDS),
      redrivePolicy: part(queue.given('RedrivePolicy'), CONDITIONAL, redrivePolicy),
      redriveAllowPolicy: part(queue.given('RedriveAllowPolicy'), CONDITIONAL, redriveAllowPolicy),
      keyId: queue.given('KmsMasterKeyId').text(undefined),
      policy: onlyGiven(policies, url),
      policyPlaces: placesOf(policies, url),
    };
  });
  const known = new Set(own.map(({ arn }) => arn));
  return [...own, ...foreignQueues(policies).filter(({ arn }) => !known.has(arn))];
}

function placesOf(policies: readonly PolicyOf[], url: MaybeKnown<string>): TemplatePlace[] {
  return policies.filter(it => isKnown(it.to) && it.to.includes(url)).map(({ by }) => by.place);
}

const ELSEWHERE: Unknown = { unknownBecause: 'is defined where the queue is created' };

/** Queues that are created elsewhere and get their policy here. Nothing else is known about them. */
function foreignQueues(policies: readonly PolicyOf[]): QueueFacts[] {
  return policies.flatMap(({ by, to }) =>
    (isKnown(to) ? to.filter(isKnown) : []).flatMap(url => {
      const arn = queueArnAt(url, by.stack.environment.partition);
      if (arn === undefined) return [];
      const name = nameInArn(arn);
      return {
        ...by.as(arn),
        name,
        isFifo: FIFO_NAME.test(name),
        retentionSeconds: ELSEWHERE,
        visibilityTimeoutSeconds: ELSEWHERE,
        redrivePolicy: ELSEWHERE,
        redriveAllowPolicy: ELSEWHERE,
        keyId: ELSEWHERE,
        policy: onlyGiven(policies, url),
        policyPlaces: placesOf(policies, url),
      };
    }),
  );
}

const URL = /^https:\/\/sqs\.([^./]+)\.[^/]+\/([^/]+)\/([^/]+)$/;

/** The ARN of the queue at a URL; undefined if it is not an SQS URL. */
export function queueArnAt(url: string, partition: string): string | undefined {
  const [, region, account, name] = URL.exec(url) ?? [];
  return region && account && name ? `arn:${partition}:sqs:${region}:${account}:${name}` : undefined;
}

/** The names of all FIFO topics and queues end like this, and no others. */
const FIFO_NAME = /\.fifo$/;

/** Whether the end of a name is only known at deployment. */
const OPEN_END = />$/;

/**
 * Whether a topic or queue is FIFO: by its name, or else by its property.
 * @param flag `FifoTopic` or `FifoQueue`
 */
export function isFifoType(flag: PropertyValue, arn: MaybeKnown<string>): MaybeKnown<boolean> {
  if (isKnown(arn) && FIFO_NAME.test(arn)) return true;
  const said = flag.flag(false);
  return isKnown(said) || !isKnown(arn) || OPEN_END.test(arn) ? said : false;
}
