import type * as PhoneNumbers from 'libphonenumber-js/min';
import { phoneKey } from '../../../policy/address-formats';
import type { FilterReason } from '../../../policy/filter/filter-policy';
import type { MetricSink } from '../../kernel/telemetry';
import { platformNames } from '../direct-messages/platform-applications';
import type { TextMessage } from '../direct-messages/text-messages';
import type { Topic } from '../topic/topic-and-subscription';

/** The metrics of `AWS/SNS` whose values are counts of 1. */
export type SnsCount =
  | 'NumberOfMessagesPublished'
  | 'NumberOfNotificationsDelivered'
  | 'NumberOfNotificationsFailed'
  | 'NumberOfNotificationsFilteredOut'
  | `NumberOfNotificationsFilteredOut-${FilterReason}`
  | 'NumberOfNotificationsRedrivenToDlq'
  | 'NumberOfNotificationsFailedToRedriveToDlq';

export type Dimensions = Readonly<Record<string, string>>;

const NAMESPACE = 'AWS/SNS';

/**
 * Of messages published directly to a phone number. **Assumption SNS-21:** AWS documents the dimension, but not its
 * value.
 */
const DIRECT_PHONE: Dimensions = { PhoneNumber: 'PhoneNumberDirect' };

/** SNS counts push messages by application and platform: each alone, and both together. */
export function pushDimensions(endpointArn: string): readonly Dimensions[] {
  const names = platformNames(endpointArn);
  if (!names) return [];
  const { application: Application, platform: Platform } = names;
  return [{ Application, Platform }, { Application }, { Platform }];
}

/**
 * SNS counts text messages by type, and by country and type. Messages published directly to a phone have one more
 * dimension.
 */
export function phoneDimensions(
  phoneNumber: string,
  { smsType: SMSType }: Pick<TextMessage, 'smsType'>,
  isDirect: boolean,
): readonly Dimensions[] {
  const Country = countryOf(phoneNumber);
  return [{ SMSType }, ...(Country === undefined ? [] : [{ Country, SMSType }]), ...(isDirect ? [DIRECT_PHONE] : [])];
}

/**
 * Reports the metrics of SNS except `SMSMonthToDateSpentUSD`. Text messages cost nothing in the embedded AWS, and AWS
 * has a price for each country and carrier. A made-up figure would make an alarm on it meaningless.
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

  /** Puts 1 for a delivered text message and 0 for a failed one. The average is the success rate. */
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

/** Loaded on first use, because its tables take longer to load than most runs take. */
function library(): typeof PhoneNumbers {
  return require('libphonenumber-js/min');
}

const countries = new Map<string, string | undefined>();

/**
 * Returns the ISO 3166-1 alpha-2 country of a phone number, or undefined for an unassigned number, such as those
 * reserved for fiction.
 */
function countryOf(phoneNumber: string): string | undefined {
  const key = phoneKey(phoneNumber);
  if (!countries.has(key)) countries.set(key, library().parsePhoneNumberFromString(key)?.country);
  return countries.get(key);
}
