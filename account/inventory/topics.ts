import { GetTopicAttributesCommand, paginateListTopics, SNSClient } from '@aws-sdk/client-sns';
import type { StatusLogging, TopicFacts } from '../../diagnosis/inventory/inventory';
import { nameInArn } from '../../policy/arn';
import { type MaybeKnown, mapKnown } from '../../template/told';
import type { AccountReader, Question } from './account-reader';
import { jsonOf, policyOf, unlessEmpty } from './attribute-text';

type Attributes = Readonly<Partial<Record<string, string>>>;

const ATTRIBUTES: Question = {
  action: 'sns:GetTopicAttributes',
  of: ['topic', 'topics'],
  tells: 'the attributes',
};

const FEEDBACK_ROLE = /^([A-Za-z]+?)(Success|Failure)FeedbackRoleArn$/;

function loggingOf(attributes: Attributes): readonly StatusLogging[] {
  const byProtocol = new Map<string, StatusLogging>();
  for (const [name, roleArn] of Object.entries(attributes)) {
    const [, protocol, outcome] = FEEDBACK_ROLE.exec(name) ?? [];
    if (protocol === undefined || !roleArn) continue;
    const role = outcome === 'Success' ? { successRoleArn: roleArn } : { failureRoleArn: roleArn };
    byProtocol.set(protocol, { protocol, ...byProtocol.get(protocol), ...role });
  }
  return [...byProtocol.values()];
}

function topicFacts(arn: string, attributes: MaybeKnown<Attributes>): TopicFacts {
  const name = nameInArn(arn);
  return {
    arn,
    name,
    isFifo: name.endsWith('.fifo'),
    keyId: mapKnown(attributes, ({ KmsMasterKeyId }) => unlessEmpty(KmsMasterKeyId)),
    policy: mapKnown(attributes, ({ Policy }) => policyOf(Policy)),
    deliveryPolicy: mapKnown(attributes, ({ DeliveryPolicy }) => jsonOf(DeliveryPolicy)),
    logging: mapKnown(attributes, loggingOf),
  };
}

/** Every topic of the Region. It takes the permissions `sns:ListTopics` and `sns:GetTopicAttributes`. */
export async function readTopics(reader: AccountReader): Promise<readonly TopicFacts[]> {
  const sns = reader.aws.client(SNSClient);
  const arns: string[] = [];
  for await (const { Topics = [] } of paginateListTopics({ client: sns }, {})) {
    arns.push(...Topics.flatMap(({ TopicArn }) => TopicArn ?? []));
  }
  return reader.each(arns, async TopicArn => {
    const read = async () => (await sns.send(new GetTopicAttributesCommand({ TopicArn }))).Attributes ?? {};
    return topicFacts(TopicArn, await reader.ask(ATTRIBUTES, nameInArn(TopicArn), read));
  });
}
