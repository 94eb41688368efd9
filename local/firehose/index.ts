import type { Firehose as FirehoseClient } from '@aws-sdk/client-firehose';
import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import { type PutResource, putType, type ResourceType } from '../cloudformation/resource-type';
import { AwsError, notImplemented } from '../kernel/aws-error';
import { arnIn } from '../kernel/place';
import {
  type ActionFamily,
  accessDenied,
  MissingResource,
  type Refused,
  RequestChecks,
  type Resource,
  type SdkActions,
  ServiceApi,
  type ServiceContext,
} from '../kernel/service-api';

const LONGEST_NAME = 64;
const NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The destination properties of a stream, of which it must have one. The embedded AWS does not deliver to it. */
const DESTINATIONS = [
  'AmazonOpenSearchServerless',
  'Amazonopensearchservice',
  'Elasticsearch',
  'ExtendedS3',
  'HttpEndpoint',
  'Iceberg',
  'Redshift',
  'S3',
  'Snowflake',
  'Splunk',
].map(name => `${name}DestinationConfiguration`);

type FirehoseContext = Pick<ServiceContext<FirehoseTraceEvent>, 'place' | 'timeline' | 'access' | 'faults' | 'trace'>;

export type FirehoseTraceEvent = Refused<'firehose'>;

interface Stream extends Resource {
  readonly name: string;
  readonly createdAtMs: number;
  readonly keyId: string | undefined;
}

/** The streams of stacks. Others may exist on AWS: the simulation only knows those that a stack has deleted. */
class Streams {
  readonly byName = new Map<string, Stream>();
  readonly deleted = new Set<string>();

  constructor(readonly context: FirehoseContext) {}

  arnOf(name: string): string {
    return arnIn(this.context.place, 'firehose', `deliverystream/${name}`);
  }

  /** Firehose's answer about a stream that it does not have; undefined if it may have the stream. */
  refusalOf(name: string): AwsError | undefined {
    if (this.byName.has(name) || !this.deleted.has(name)) return undefined;
    const { account } = this.context.place;
    return new AwsError('ResourceNotFoundException', `Firehose ${name} under account ${account} not found.`);
  }
}

const FIREHOSE_ACTIONS = {
  DescribeDeliveryStream: {
    resourceOf: (streams, { DeliveryStreamName: name = '' }) => {
      const error = streams.refusalOf(name) ?? notImplemented(`Firehose streams that no stack creates (${name})`);
      return streams.byName.get(name) ?? new MissingResource(streams.arnOf(name), error);
    },
    run: (_, __, { name, arn, createdAtMs, keyId }: Stream) => ({
      DeliveryStreamDescription: {
        DeliveryStreamName: name,
        DeliveryStreamARN: arn,
        DeliveryStreamStatus: 'ACTIVE',
        DeliveryStreamEncryptionConfiguration:
          keyId === undefined
            ? { Status: 'DISABLED' }
            : { Status: 'ENABLED', KeyType: 'CUSTOMER_MANAGED_CMK', KeyARN: keyId },
        DeliveryStreamType: 'DirectPut',
        VersionId: '1',
        CreateTimestamp: new Date(createdAtMs),
        Destinations: [{ DestinationId: 'destinationId-000000000001' }],
        HasMoreDestinations: false,
      },
    }),
  },
} satisfies ActionFamily<Streams, FirehoseClient>;

type FirehoseActions = SdkActions<FirehoseClient, keyof typeof FIREHOSE_ACTIONS>;

/**
 * Amazon Data Firehose: streams that SNS can deliver to, and what DescribeDeliveryStream says about them.
 *
 * @see https://docs.aws.amazon.com/firehose/latest/APIReference/API_DescribeDeliveryStream.html
 */
export class Firehose extends ServiceApi<Streams, FirehoseActions> {
  constructor(context: FirehoseContext) {
    const checks = new RequestChecks('firehose', context, accessDenied(context.place, 'AccessDeniedException', 400));
    super(checks, FIREHOSE_ACTIONS, new Streams(context));
  }
}

export function firehoseResourceTypes({ state }: Firehose): readonly ResourceType[] {
  return [deliveryStreamResourceType(state)];
}

function checkDestination(properties: PropertyReader): void {
  const given = DESTINATIONS.filter(name => properties.document(name) !== undefined);
  if (given.length === 1 || properties.notedProblems().length > 0) return;
  const rule = `must be the only destination of the stream, one of ${DESTINATIONS.join(', ')}`;
  properties.problem(given[1] ?? 'ExtendedS3DestinationConfiguration', rule, given.length === 0 ? undefined : given);
}

/**
 * A stream that SNS can deliver to. `aws.recipients.receipts(streamArn)` returns what reached it. The stream writes to
 * no destination, so its destination and encryption settings have no effect. A stream with a source of its own is
 * refused, because SNS cannot write to it.
 * @see
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kinesisfirehose-deliverystream.html
 */
function deliveryStreamResourceType(streams: Streams): ResourceType {
  const put: PutResource = (properties, context, existing) => {
    const property = 'DeliveryStreamName';
    const name = properties.string(property) ?? context.physicalName(LONGEST_NAME);
    if (!NAME.test(name))
      properties.problem(property, 'must be 1 to 64 letters, digits, underscores, periods and hyphens', name);
    const type = properties.string('DeliveryStreamType') ?? 'DirectPut';
    if (type !== 'DirectPut') {
      properties.needsStandIn('DeliveryStreamType', 'must be DirectPut in the embedded AWS', type);
    }
    tagsProperty(properties);
    checkDestination(properties);
    properties.withoutEffect('DirectPutSourceConfiguration');
    const keyId = properties.document('DeliveryStreamEncryptionConfigurationInput')?.['KeyARN'];
    properties.isFree(property, name, !existing && streams.byName.has(name));
    const createdAtMs = streams.byName.get(name)?.createdAtMs ?? streams.context.timeline.nowMs;
    const arn = streams.arnOf(name);
    streams.byName.set(name, { name, arn, createdAtMs, keyId: typeof keyId === 'string' ? keyId : undefined });
    return { ref: name, attributes: { Arn: arn } };
  };
  return putType('AWS::KinesisFirehose::DeliveryStream', put, ({ ref }) => {
    streams.byName.delete(ref);
    streams.deleted.add(ref);
  });
}
