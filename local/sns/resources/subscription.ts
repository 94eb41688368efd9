import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import type { Sns } from '../sns';

/** Returns the attributes to set, in an order in which an attribute comes after those it depends on. */
function readAttributes(properties: PropertyReader): readonly (readonly [name: string, value: string])[] {
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

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-subscription.html */
export function subscriptionResource(sns: Sns): ResourceType {
  return {
    type: 'AWS::SNS::Subscription',
    create: properties => {
      const attributes = readAttributes(properties);
      const SubscriptionRoleArn = properties.string('SubscriptionRoleArn');
      const [TopicArn, Protocol] = [properties.requiredString('TopicArn'), properties.requiredString('Protocol')];
      const Endpoint = properties.string('Endpoint') ?? '';
      const region = properties.string('Region') ?? sns.place.region;
      if (region !== sns.place.region) properties.problem('Region', `must be ${sns.place.region}`, region);
      const answer = properties.attempt('Endpoint', () =>
        sns.call('Subscribe', sns.owner, {
          TopicArn,
          Protocol,
          Endpoint,
          Attributes: SubscriptionRoleArn === undefined ? {} : { SubscriptionRoleArn },
          ReturnSubscriptionArn: true,
        }),
      );
      const SubscriptionArn = answer?.SubscriptionArn ?? '';
      for (const [AttributeName, AttributeValue] of SubscriptionArn === '' ? [] : attributes) {
        const input = { SubscriptionArn, AttributeName, AttributeValue };
        properties.attempt(AttributeName, () => sns.call('SetSubscriptionAttributes', sns.owner, input));
      }
      return { ref: SubscriptionArn, attributes: { Arn: SubscriptionArn } };
    },
  };
}
