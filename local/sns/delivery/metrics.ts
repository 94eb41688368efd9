import type * as PhoneNumbers from 'libphonenumber-js/min';
import { phoneKey } from '../../../policy/text-formats';
import type { MetricSink } from '../../kernel/telemetry';
import { platformNames } from '../platform-applications';
import type { TextMessage } from '../text-messages';
import type { Topic } from '../topic';
import type { FilterReason } from '../trace-events';

/** The metrics of `AWS/SNS` that count one thing at a time. */
export type SnsCount =
  | 'NumberOfMessagesPublished'
  | 'NumberOfNotificationsDelivered'
  | 'NumberOfNotificationsFailed'
  | 'NumberOfNotificationsFilteredOut'
  | `NumberOfNotificationsFilteredOut-${FilterReason}`
  | 'NumberOfNotificationsRedrivenToDlq'
  | 'NumberOfNotificationsFailedToRedriveToDlq';

/** By what a metric can be looked up. */
export type Dimensions = Readonly<Record<string, string>>;

const NAMESPACE = 'AWS/SNS';

/** Of messages published to a phone and no topic. AWS names the dimension and not its one value: that is our choice. */
const DIRECT_PHONE: Dimensions = { PhoneNumber: 'PhoneNumberDirect' };

/** A device's messages count by its app and push service, each by itself and both together. */
export function pushDimensions(endpointArn: string): readonly Dimensions[] {
  const names = platformNames(endpointArn);
  if (!names) return [];
  const { application: Application, platform: Platform } = names;
  return [{ Application, Platform }, { Application }, { Platform }];
}

/** Text messages count by their kind, by the country of the phone and their kind, and as published to a phone alone. */
export function phoneDimensions(
  phoneNumber: string,
  { smsType: SMSType }: Pick<TextMessage, 'smsType'>,
  isDirect: boolean,
): readonly Dimensions[] {
  const Country = countryOf(phoneNumber);
  return [{ SMSType }, ...(Country === undefined ? [] : [{ Country, SMSType }]), ...(isDirect ? [DIRECT_PHONE] : [])];
}

/**
 * Reports SNS's metrics, but for `SMSMonthToDateSpentUSD`: a text message costs nothing here and AWS has a price for each
 * country and carrier, so whatever was reported, an alarm on it would watch a figure that is made up.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html
 */
export class SnsMetrics {
  private readonly dimensions = new WeakMap<Topic, Dimensions>();

  constructor(private readonly sink: MetricSink) {}

  count(topic: Topic, name: SnsCount): void {
    this.sink.put({ namespace: NAMESPACE, name, dimensions: this.dimensionsOf(topic), value: 1 });
  }

  countBy(dimensions: readonly Dimensions[], name: SnsCount): void {
    for (const one of dimensions) this.sink.put({ namespace: NAMESPACE, name, dimensions: one, value: 1 });
  }

  /** 1 for a text message that arrived, 0 for one that did not: the average is the rate. */
  textMessage(dimensions: readonly Dimensions[], succeeded: boolean): void {
    const value = succeeded ? 1 : 0;
    for (const one of dimensions)
      this.sink.put({ namespace: NAMESPACE, name: 'SMSSuccessRate', dimensions: one, value });
  }

  publishSize(topic: Topic, sizeBytes: number): void {
    const dimensions = this.dimensionsOf(topic);
    this.sink.put({ namespace: NAMESPACE, name: 'PublishSize', dimensions, value: sizeBytes, unit: 'Bytes' });
  }

  private dimensionsOf(topic: Topic): Dimensions {
    const known = this.dimensions.get(topic);
    if (known) return known;
    const dimensions = { TopicName: topic.name };
    this.dimensions.set(topic, dimensions);
    return dimensions;
  }
}

/** Required when the first number is looked at: its tables take longer to load than most runs take. */
function library(): typeof PhoneNumbers {
  return require('libphonenumber-js/min');
}

const countries = new Map<string, string | undefined>();

/**
 * The country of a phone, as ISO 3166-1 alpha-2 has it; undefined for a number that is given to nobody, such as those kept
 * for fiction.
 */
export function countryOf(phoneNumber: string): string | undefined {
  const key = phoneKey(phoneNumber);
  if (!countries.has(key)) countries.set(key, library().parsePhoneNumberFromString(key)?.country);
  return countries.get(key);
}
