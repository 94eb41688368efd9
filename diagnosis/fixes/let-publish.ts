import { isKnown } from '../../template/told';
import type { TopicFacts } from '../inventory/inventory';
import { addedStatement } from './added-statement';
import type { Fix } from './fix';
import { serviceName } from './let-send';

/** A service that publishes to a topic, and for what: patterns of ARNs, such as those of all alarms of an account. */
export interface Publisher {
  readonly service: string;
  readonly sourceArn: string;
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html */
export function allowPublish(topic: TopicFacts, { service, sourceArn }: Publisher): Fix {
  const { statement, policy } = addedStatement(isKnown(topic.policy) ? topic.policy : undefined, `Allow-${service}`, {
    Effect: 'Allow',
    Principal: { Service: service },
    Action: 'sns:Publish',
    Resource: topic.arn,
    Condition: { ArnLike: { 'aws:SourceArn': sourceArn } },
  });
  const says = `Let ${serviceName(service)} publish to the topic ${topic.name}: add this statement to its policy.`;
  if (!isKnown(topic.policy)) return { says, statement };
  const input = { TopicArn: topic.arn, AttributeName: 'Policy', AttributeValue: policy };
  return { says, statement, calls: [{ service: 'sns', operation: 'SetTopicAttributes', input }] };
}
