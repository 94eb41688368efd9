import { AwsError, notImplemented } from '../../kernel/aws-error';
import { rootArn } from '../../kernel/caller';
import { isObject } from '../../kernel/json';
import { arnIn } from '../../kernel/place';
import { setTopicAttribute, topicAttributes } from '../attributes/topic-attributes';
import { invalidParameter, readBoolean, refuseAttributes, refuseValue } from '../errors';
import type { SnsState } from '../sns-state';
import { Topic } from '../topic/topic-and-subscription';
import { checkPolicyLimits, OUT_OF_SCOPE, TOPIC_POLICY_ACTIONS } from '../topic/topic-policy';
import { checkTopicArn, type SnsFamily, snsPage, topicAt, topicNamed } from './sns-action';

const STANDARD_NAME = /^[A-Za-z0-9_-]{1,256}$/;
const FIFO_NAME = /^(?=.{6,256}$)[A-Za-z0-9_-]+\.fifo$/;

const arnOf = ({ context }: SnsState, name: string | undefined): string => arnIn(context.place, 'sns', name ?? '');

/** Creating a topic again returns the existing topic if the requested attributes are the same. */
function checkSame(existing: Topic, wanted: Topic, names: readonly string[]): void {
  const [has, wants] = [topicAttributes(existing), topicAttributes(wanted)];
  if (names.some(name => has[name] !== wants[name])) {
    throw refuseAttributes('Topic already exists with different attributes');
  }
  if (!existing.tags.include(wanted.tags)) {
    throw invalidParameter('Tags Reason: Topic already exists with different tags');
  }
}

export const topicActions = {
  CreateTopic: {
    resourceOf: (state, { Name }) => topicAt(state, arnOf(state, Name)),
    run: (state, { input: { Name: name = '', Attributes = {}, DataProtectionPolicy, Tags = [] } }) => {
      if (DataProtectionPolicy !== undefined) throw notImplemented('DataProtectionPolicy');
      const { FifoTopic = 'false', ...attributes } = Attributes;
      const isFifo = readBoolean('FifoTopic', FifoTopic, refuseAttributes);
      if (!(isFifo ? FIFO_NAME : STANDARD_NAME).test(name)) throw invalidParameter('Topic Name');
      const topic = new Topic({ arn: arnOf(state, name), name, account: state.context.place.account, isFifo });
      for (const [attribute, value] of Object.entries(attributes)) {
        setTopicAttribute(topic, attribute, value, refuseAttributes);
      }
      topic.tags.put(Tags);
      const existing = state.directory.findTopic(topic.arn);
      if (existing) checkSame(existing, topic, Object.keys(attributes));
      else {
        state.directory.addTopic(topic);
        state.context.trace.record({ type: 'sns.topic-created', topicArn: topic.arn });
      }
      return { TopicArn: topic.arn };
    },
  },

  /** Deleting a missing topic succeeds. */
  DeleteTopic: {
    resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
    run: ({ directory, context }, { input }) => {
      checkTopicArn(context.place, input.TopicArn);
      const topic = directory.findTopic(input.TopicArn);
      if (!topic) return;
      for (const subscription of topic.subscriptions) {
        directory.removeSubscription(subscription);
        context.trace.record({ type: 'sns.unsubscribed', topicArn: topic.arn, subscriptionArn: subscription.arn });
      }
      directory.removeTopic(topic);
      context.trace.record({ type: 'sns.topic-deleted', topicArn: topic.arn });
    },
  },

  ListTopics: {
    run: ({ directory }, { input }) => {
      const { items, nextToken } = snsPage(directory.topics, input.NextToken);
      return { Topics: items.map(({ arn }) => ({ TopicArn: arn })), ...(nextToken && { NextToken: nextToken }) };
    },
  },

  GetTopicAttributes: {
    resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
    run: (state, { input }) => ({ Attributes: topicAttributes(topicNamed(state, input.TopicArn)) }),
  },

  SetTopicAttributes: {
    resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
    run: (state, { input: { TopicArn, AttributeName = '', AttributeValue = '' } }) => {
      setTopicAttribute(topicNamed(state, TopicArn), AttributeName, AttributeValue, refuseValue);
    },
  },

  /** Adds a statement to the topic's policy. The error texts are those that other implementations report of AWS. */
  AddPermission: {
    resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
    run: (state, { input: { TopicArn, Label = '', AWSAccountId = [], ActionName = [] } }) => {
      const topic = topicNamed(state, TopicArn);
      const statements = statementsOf(topic);
      if (Label === '') throw invalidParameter('Label');
      if (AWSAccountId.length === 0) throw invalidParameter('AWSAccountId');
      if (ActionName.length === 0) throw invalidParameter('ActionName');
      if (statements.some(statement => isObject(statement) && statement['Sid'] === Label)) {
        throw invalidParameter('Statement already exists');
      }
      if (!ActionName.every(action => TOPIC_POLICY_ACTIONS.includes(action))) throw invalidParameter(OUT_OF_SCOPE);
      const { partition } = state.context.place;
      const statement = {
        Sid: Label,
        Effect: 'Allow',
        Principal: { AWS: oneOrMany(AWSAccountId.map(account => rootArn(partition, account))) },
        Action: oneOrMany(ActionName.map(action => `SNS:${action}`)),
        Resource: topic.arn,
      };
      const policy = { ...topic.policy, Statement: [...statements, statement] };
      checkPolicyLimits(policy, invalidParameter);
      topic.policy = policy;
    },
  },

  /**
   * Removes a statement from the topic's policy.
   * **Assumption SNS-26:** Removing a missing statement succeeds.
   */
  RemovePermission: {
    resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
    run: (state, { input: { TopicArn, Label } }) => {
      const topic = topicNamed(state, TopicArn);
      const kept = statementsOf(topic).filter(statement => !isObject(statement) || statement['Sid'] !== Label);
      topic.policy = { ...topic.policy, Statement: kept };
    },
  },

  TagResource: {
    resourceOf: (state, { ResourceArn }) => topicAt(state, ResourceArn),
    run: (state, { input: { ResourceArn, Tags = [] } }) => {
      taggedTopic(state, ResourceArn).tags.put(Tags);
    },
  },

  /** Removing a missing tag succeeds. */
  UntagResource: {
    resourceOf: (state, { ResourceArn }) => topicAt(state, ResourceArn),
    run: (state, { input: { ResourceArn, TagKeys = [] } }) => {
      taggedTopic(state, ResourceArn).tags.remove(TagKeys);
    },
  },

  ListTagsForResource: {
    resourceOf: (state, { ResourceArn }) => topicAt(state, ResourceArn),
    run: (state, { input: { ResourceArn } }) => ({ Tags: taggedTopic(state, ResourceArn).tags.list() }),
  },
} satisfies SnsFamily;

/** AWS writes a list of one value as that value. */
function oneOrMany(values: readonly string[]): string | readonly string[] {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : values;
}

function statementsOf({ policy }: Topic): readonly unknown[] {
  const { Statement } = policy;
  return Array.isArray(Statement) ? Statement : [Statement];
}

/** Returns the topic with the tags. Only topics have tags. */
function taggedTopic({ directory }: SnsState, arn: string | undefined): Topic {
  const topic = directory.findTopic(arn);
  if (!topic) throw new AwsError('ResourceNotFound', 'Resource does not exist', 404);
  return topic;
}
