import { CfnResource, Token } from 'aws-cdk-lib';
import { CfnMicrosoftTeamsChannelConfiguration, CfnSlackChannelConfiguration } from 'aws-cdk-lib/aws-chatbot';
import { CfnSubscription, CfnTopic, type Topic } from 'aws-cdk-lib/aws-sns';
import { atSynthesis } from '../shared/at-synthesis';
import { warn } from '../shared/checks';
import { mentions } from '../shared/mentions';

/** What a resource that hears topics has for the topics it hears; undefined where it hears none. */
function topicsHeardBy(resource: CfnResource): unknown {
  if (resource instanceof CfnSubscription) return resource.topicArn;
  const isChat =
    resource instanceof CfnSlackChannelConfiguration || resource instanceof CfnMicrosoftTeamsChannelConfiguration;
  return isChat ? resource.snsTopicArns : undefined;
}

/** The ends an ARN of a topic may have where somebody spells it out: none while the topic has no name of its own. */
function isSpeltOut(topic: Topic, heard: unknown): boolean {
  const resource = topic.node.defaultChild;
  const name = resource instanceof CfnTopic ? resource.topicName : undefined;
  if (name === undefined || Token.isUnresolved(name)) return false;
  const arns: unknown[] = Array.isArray(heard) ? heard : [heard];
  return arns.some(arn => typeof arn === 'string' && arn.endsWith(`:${name}`));
}

function isHeard(topic: Topic): boolean {
  return topic.node.root.node.findAll().some(it => {
    if (!CfnResource.isCfnResource(it)) return false;
    const heard = topicsHeardBy(it);
    return mentions(it, heard, topic.topicArn) || isSpeltOut(topic, heard);
  });
}

/** Warns at synthesis of a topic for operators that nothing in the app is subscribed to. */
export function warnIfNoSubscriber(topic: Topic): void {
  atSynthesis(topic, () => {
    if (isHeard(topic)) return;
    const message = 'Alarms speak here and nobody hears them: give it an email, or another subscription.';
    warn(topic, 'ops-topic-unheard', message);
  });
}
