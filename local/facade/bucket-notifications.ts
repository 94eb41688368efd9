import { parseArn } from '../../policy/arn';
import { ownMember } from '../../policy/json-members';
import { DAY_MS } from '../../policy/time-units';
import { deliver, retryPolicyOf } from '../event-delivery/delivery';
import { queueUrl } from '../event-delivery/targets';
import type { AwsError } from '../kernel/aws-error';
import { type Caller, type Latency, serviceCaller } from '../kernel/caller';
import { isoInstant } from '../kernel/clock';
import { isObject, type JsonObject } from '../kernel/json';
import type { PlaceServices } from '../place-services';

/** A change of an object in a bucket. */
export interface ObjectEvent {
  /** As `LocalAws.resource` takes it. */
  readonly bucket: string;
  readonly key: string;
  /** One of S3's event types, for example `ObjectCreated:Put`, with or without `s3:`. @default 'ObjectCreated:Put' */
  readonly event?: string;
  /** In bytes. @default 1024 */
  readonly size?: number;
  /** @default - derived from the key */
  readonly eTag?: string;
  /** @default - the bucket has no versions */
  readonly versionId?: string;
}

/** A destination of a bucket's notifications, as its configuration names it. */
interface Destination {
  readonly configurationId: string;
  readonly arn: string;
  readonly events: readonly string[];
  readonly prefix: string;
  readonly suffix: string;
}

interface Notifications {
  readonly destinations: readonly Destination[];
  readonly sendsToEventBridge: boolean;
}

const BUCKET = 'AWS::S3::Bucket';
/** The CDK's custom resource that configures notifications. */
const CDK_NOTIFICATIONS = 'Custom::S3BucketNotifications';

/** The notification configuration of a bucket, from its own properties and from the CDK's custom resource. */
export function notificationsOf({ cloudFormation }: PlaceServices, bucketName: string): Notifications {
  const own = cloudFormation.resourcesOfType(BUCKET).filter(({ physicalId }) => physicalId === bucketName);
  const custom = cloudFormation
    .resourcesOfType(CDK_NOTIFICATIONS)
    .filter(({ properties }) => properties['BucketName'] === bucketName);
  const configurations = [...own, ...custom].map(({ properties }) => objectIn(properties, 'NotificationConfiguration'));
  return {
    destinations: configurations.flatMap(destinationsIn),
    sendsToEventBridge: configurations.some(({ EventBridgeConfiguration: bridge }) => {
      return isObject(bridge) && String(bridge['EventBridgeEnabled'] ?? true) === 'true';
    }),
  };
}

function objectIn(holder: JsonObject, name: string): JsonObject {
  const value = holder[name];
  return isObject(value) ? value : {};
}

function objectsIn(holder: JsonObject, name: string): readonly JsonObject[] {
  const value = holder[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** CloudFormation and S3's API spell the members differently. */
function destinationsIn(configuration: JsonObject): readonly Destination[] {
  const lists = ['LambdaConfigurations', 'LambdaFunctionConfigurations', 'QueueConfigurations', 'TopicConfigurations'];
  return lists
    .flatMap(list => objectsIn(configuration, list))
    .map((given, i) => {
      const filter = objectIn(given, 'Filter');
      const rules = [
        ...objectsIn(objectIn(filter, 'S3Key'), 'Rules'),
        ...objectsIn(objectIn(filter, 'Key'), 'FilterRules'),
      ];
      const rule = (name: string): string =>
        String(rules.find(it => String(it['Name']).toLowerCase() === name)?.['Value'] ?? '');
      const arn = ['Function', 'LambdaFunctionArn', 'Queue', 'QueueArn', 'Topic', 'TopicArn'].find(it => it in given);
      const events = Array.isArray(given['Events']) ? given['Events'] : [given['Event']];
      return {
        configurationId: String(given['Id'] ?? `notification-${i + 1}`),
        arn: String(given[arn ?? ''] ?? ''),
        events: events.map(String),
        prefix: rule('prefix'),
        suffix: rule('suffix'),
      };
    });
}

/** Whether a destination wants an event: `s3:ObjectCreated:*` means every event of that kind. */
function wants({ events, prefix, suffix }: Destination, name: string, key: string): boolean {
  const event = `s3:${name}`;
  const isWanted = events.some(it => (it.endsWith('*') ? event.startsWith(it.slice(0, -1)) : it === event));
  return isWanted && key.startsWith(prefix) && key.endsWith(suffix);
}

/**
 * **Assumption BUCKETS-1:** AWS does not publish how often S3 retries a notification. Here a destination that fails or throttles
 * is retried three times.
 */
const RETRIES = retryPolicyOf({ MaximumRetryAttempts: 3 });

/** Sends the notifications of one event to all destinations that want it. */
export class BucketEvent {
  private readonly name: string;
  private readonly arn: string;
  private readonly requestId: string;
  private readonly eTag: string;
  private readonly sequencer: string;

  constructor(
    private readonly services: PlaceServices,
    private readonly bucketName: string,
    private readonly given: ObjectEvent,
    ids: { readonly requestId: string; readonly sequencer: string; readonly eTag: string },
  ) {
    this.name = (given.event ?? 'ObjectCreated:Put').replace(/^s3:/, '');
    this.arn = `arn:${services.place.partition}:s3:::${bucketName}`;
    this.requestId = ids.requestId;
    this.sequencer = ids.sequencer;
    this.eTag = given.eTag ?? ids.eTag;
  }

  /** Returns the ARNs of the destinations; EventBridge is the ARN of its default bus. */
  send(): readonly string[] {
    const { destinations, sendsToEventBridge } = notificationsOf(this.services, this.bucketName);
    const wanted = destinations.filter(destination => wants(destination, this.name, this.given.key));
    for (const destination of wanted) this.notify(destination);
    const toBus = sendsToEventBridge ? this.busEvent() : undefined;
    if (toBus) this.services.events.emit(toBus);
    return [...wanted.map(({ arn }) => arn), ...(toBus ? ['the default event bus'] : [])];
  }

  private notify(destination: Destination): void {
    const { place, trace, timeline } = this.services;
    const about = { bucket: this.bucketName, key: this.given.key, event: this.name, destinationArn: destination.arn };
    const body = JSON.stringify({ Records: [this.record(destination)] });
    deliver(timeline, {
      policy: RETRIES,
      attempt: (_attempt, latency) =>
        this.call(destination.arn, { ...serviceCaller('s3.amazonaws.com', this.arn, place.account), latency }, body),
      delivered: () => trace.record({ type: 's3.notified', ...about }),
      givenUp: ({ error }: { readonly error: AwsError }) =>
        trace.record({ type: 's3.notification-lost', ...about, code: error.code, reason: error.reason }),
    });
  }

  private call(arn: string, caller: Caller & { readonly latency: Latency }, body: string): unknown {
    const { sns, sqs, lambda } = this.services;
    switch (parseArn(arn)?.service) {
      case 'sns':
        return sns.call('Publish', caller, { TopicArn: arn, Message: body, Subject: 'Amazon S3 Notification' });
      case 'sqs':
        return sqs.call('SendMessage', caller, { QueueUrl: queueUrl(sqs, arn), MessageBody: body });
      default:
        return lambda.call('Invoke', caller, {
          FunctionName: arn,
          InvocationType: 'Event',
          Payload: Buffer.from(body),
        });
    }
  }

  /** @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html */
  private record({ configurationId }: Destination): JsonObject {
    const { place, timeline } = this.services;
    const { size = 1024, versionId, key } = this.given;
    const isRemoval = this.name.startsWith('ObjectRemoved');
    return {
      eventVersion: '2.5',
      eventSource: 'aws:s3',
      awsRegion: place.region,
      eventTime: isoInstant(timeline.nowMs),
      eventName: this.name,
      userIdentity: { principalId: `AWS:${place.account}` },
      requestParameters: { sourceIPAddress: '127.0.0.1' },
      responseElements: { 'x-amz-request-id': this.requestId, 'x-amz-id-2': this.requestId },
      s3: {
        s3SchemaVersion: '1.0',
        configurationId,
        bucket: { name: this.bucketName, ownerIdentity: { principalId: place.account }, arn: this.arn },
        object: {
          key: encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/'),
          ...(!isRemoval && { size, eTag: this.eTag }),
          ...(versionId !== undefined && { versionId }),
          sequencer: this.sequencer,
        },
      },
    };
  }

  /** @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html */
  private busEvent() {
    const { place } = this.services;
    const kind = busEventOf(this.name);
    if (!kind) return undefined;
    const { size = 1024, versionId, key } = this.given;
    const detail = {
      version: '0',
      bucket: { name: this.bucketName },
      object: {
        key,
        ...(!kind.isRemoval && { size, etag: this.eTag }),
        ...(versionId !== undefined && { 'version-id': versionId }),
        sequencer: this.sequencer,
      },
      'request-id': this.requestId,
      requester: place.account,
      'source-ip-address': '127.0.0.1',
      ...kind.members(this.services.timeline.nowMs),
    };
    return { source: 'aws.s3', detailType: kind.detailType, resources: [this.arn], detail };
  }
}

/** What EventBridge gets when S3 reports an event. */
interface BusEventKind {
  readonly detailType: string;
  readonly isRemoval: boolean;
  /** The members of `detail` that only events of this kind have. */
  members(nowMs: number): JsonObject;
}

const kind = (detailType: string, members: JsonObject = {}): BusEventKind => ({
  detailType,
  isRemoval: false,
  members: () => members,
});
const created = (reason: string): BusEventKind => kind('Object Created', { reason });
const removed = (reason: string, deletionType: string): BusEventKind => ({
  ...kind('Object Deleted', { reason, 'deletion-type': deletionType }),
  isRemoval: true,
});

const [PERMANENT, MARKER] = ['Permanently Deleted', 'Delete Marker Created'];
const GLACIER = { 'source-storage-class': 'GLACIER' };

/**
 * The events that S3 sends to EventBridge. Storage classes, tiers and the time for which an object is restored are examples,
 * because objects are not simulated.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-mapping-troubleshooting.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
 */
const ON_BUS: Readonly<Record<string, BusEventKind>> = {
  'ObjectCreated:Put': created('PutObject'),
  'ObjectCreated:Post': created('POST Object'),
  'ObjectCreated:Copy': created('CopyObject'),
  'ObjectCreated:CompleteMultipartUpload': created('CompleteMultipartUpload'),
  'ObjectRemoved:Delete': removed('DeleteObject', PERMANENT),
  'ObjectRemoved:DeleteMarkerCreated': removed('DeleteObject', MARKER),
  'LifecycleExpiration:Delete': removed('Lifecycle Expiration', PERMANENT),
  'LifecycleExpiration:DeleteMarkerCreated': removed('Lifecycle Expiration', MARKER),
  'ObjectRestore:Post': kind('Object Restore Initiated', GLACIER),
  'ObjectRestore:Completed': {
    ...kind('Object Restore Completed'),
    members: nowMs => ({ ...GLACIER, 'restore-expiry-time': isoInstant(nowMs + DAY_MS) }),
  },
  'ObjectRestore:Delete': kind('Object Restore Expired'),
  LifecycleTransition: kind('Object Storage Class Changed', { 'destination-storage-class': 'GLACIER' }),
  IntelligentTiering: kind('Object Access Tier Changed', { 'destination-access-tier': 'ARCHIVE_ACCESS' }),
  'ObjectTagging:Put': kind('Object Tags Added'),
  'ObjectTagging:Delete': kind('Object Tags Deleted'),
  'ObjectAcl:Put': kind('Object ACL Updated'),
};

/** Events of S3 whose notifications have members that are not simulated. */
const NOT_SIMULATED: readonly string[] = [
  'ReducedRedundancyLostObject',
  'Replication:OperationFailedReplication',
  'Replication:OperationMissedThreshold',
  'Replication:OperationNotTracked',
  'Replication:OperationReplicatedAfterThreshold',
];

/** @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html */
export const S3_EVENTS: readonly string[] = Object.keys(ON_BUS);

export const isUnsimulatedS3Event = (name: string): boolean => NOT_SIMULATED.includes(name);

const busEventOf = (name: string): BusEventKind | undefined => ownMember(ON_BUS, name);
