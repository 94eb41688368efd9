import { parseArn } from '../../../policy/arn';
import type { PropertyReader } from '../../cloudformation/property-reader';
import { type CreatedResource, changedAttributes, type ResourceType } from '../../cloudformation/resource-type';
import type { Api } from '../../kernel/service-api';
import type { SnsActions } from '../actions';
import type { Sns } from '../sns';

/** SNS in the account and Region of a topic. */
export type Topics = Api<SnsActions>;

type Attributes = readonly (readonly [name: string, value: string])[];

/** The value that removes an attribute, or is its default. */
const DEFAULTS: Readonly<Record<string, string>> = {
  RawMessageDelivery: 'false',
  FilterPolicyScope: 'MessageAttributes',
  FilterPolicy: '{}',
};

const defaultOf = (attribute: string): string => DEFAULTS[attribute] ?? '';

/** Returns the attributes to set, in an order in which an attribute comes after those it depends on. */
function readAttributes(properties: PropertyReader): Attributes {
  const text = (name: string): string | undefined => {
    const document = properties.document(name);
    return document && JSON.stringify(document);
  };
  const raw = properties.boolean('RawMessageDelivery');
  const read: (readonly [string, string | undefined])[] = [
    ['RawMessageDelivery', raw === undefined ? undefined : String(raw)],
    ['FilterPolicyScope', properties.string('FilterPolicyScope')],
    ['FilterPolicy', text('FilterPolicy')],
    ['DeliveryPolicy', text('DeliveryPolicy')],
    ['RedrivePolicy', text('RedrivePolicy')],
  ];
  return read.filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/** Returns all attributes that an update can change, with the role, which is given when an endpoint is subscribed. */
function readAll(properties: PropertyReader): Readonly<Record<string, string>> {
  const SubscriptionRoleArn = properties.string('SubscriptionRoleArn');
  return { ...(SubscriptionRoleArn && { SubscriptionRoleArn }), ...Object.fromEntries(readAttributes(properties)) };
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-subscription.html */
export function subscriptionResource(sns: Sns, topics: Topics): ResourceType {
  const set = (properties: PropertyReader, SubscriptionArn: string, attributes: Attributes): CreatedResource => {
    for (const [AttributeName, AttributeValue] of SubscriptionArn === '' ? [] : attributes) {
      const input = { SubscriptionArn, AttributeName, AttributeValue };
      properties.attempt(AttributeName, () => topics.call('SetSubscriptionAttributes', sns.owner, input));
    }
    return { ref: SubscriptionArn, attributes: { Arn: SubscriptionArn } };
  };
  return {
    type: 'AWS::SNS::Subscription',
    create: (properties, context) => {
      const attributes = readAttributes(properties);
      const SubscriptionRoleArn = properties.string('SubscriptionRoleArn');
      // As on AWS, an endpoint that is subscribed with other attributes is refused. The first deployment sets each attribute
      // by itself, to name the properties that are wrong.
      const together = context.takesTime ? Object.fromEntries(attributes) : {};
      const [TopicArn, Protocol] = [properties.requiredString('TopicArn'), properties.requiredString('Protocol')];
      const Endpoint = properties.string('Endpoint') ?? '';
      const region = properties.string('Region') ?? sns.place.region;
      const { region: ofTopic = region } = parseArn(TopicArn) ?? {};
      if (region !== ofTopic) properties.problem('Region', `must be ${ofTopic}, the Region of the topic`, region);
      const answer = properties.attempt('Endpoint', () =>
        topics.call('Subscribe', sns.owner, {
          TopicArn,
          Protocol,
          Endpoint,
          Attributes: { ...(SubscriptionRoleArn && { SubscriptionRoleArn }), ...together },
          ReturnSubscriptionArn: true,
        }),
      );
      return set(properties, answer?.SubscriptionArn ?? '', context.takesTime ? [] : attributes);
    },
    update: (properties, _context, existing) => {
      properties.withoutEffect('TopicArn', 'Protocol', 'Endpoint', 'Region');
      const before = readAll(existing.properties);
      return set(properties, existing.ref, Object.entries(changedAttributes(before, readAll(properties), defaultOf)));
    },
    delete: ({ ref: SubscriptionArn }) => topics.call('Unsubscribe', sns.owner, { SubscriptionArn }),
  };
}
