import { type PropertyReader, tagsProperty } from './cloudformation/property-reader';
import { type PutResource, putType, type ResourceType } from './cloudformation/resource-type';
import { arnIn, type Place } from './kernel/place';

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

export function firehoseResourceTypes(place: Place): readonly ResourceType[] {
  return [deliveryStreamResourceType(place)];
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
function deliveryStreamResourceType(place: Place): ResourceType {
  const taken = new Set<string>();
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
    properties.withoutEffect('DeliveryStreamEncryptionConfigurationInput', 'DirectPutSourceConfiguration');
    properties.isFree(property, name, !existing && taken.has(name));
    taken.add(name);
    return { ref: name, attributes: { Arn: arnIn(place, 'firehose', `deliverystream/${name}`) } };
  };
  return putType('AWS::KinesisFirehose::DeliveryStream', put, ({ ref }) => taken.delete(ref));
}
