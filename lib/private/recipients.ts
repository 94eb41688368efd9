import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { EndpointDeliveryOptions } from '../topic-delivery';
import { admitTopic, admitTopicToFunction } from './admission';
import { subscriberQueueProblems } from './delivery-checks';
import { deliveryProblems, deliverySettings } from './endpoint-policy';
import { readEndpoint } from './endpoint-url';
import type { Recipient } from './recipient';

export function queueRecipient(topic: ITopic, queue: IQueue): Recipient {
  return {
    protocol: SubscriptionProtocol.SQS,
    endpoint: queue.queueArn,
    named: { property: 'queue', value: queue.node.path },
    consumer: queue,
    fifo: topic.fifo && queue.fifo,
    problems: subscriberQueueProblems(queue, topic),
    admit: scope => admitTopic(scope, queue, topic),
  };
}

export function functionRecipient(topic: ITopic, handler: IFunction): Recipient {
  return {
    protocol: SubscriptionProtocol.LAMBDA,
    endpoint: handler.functionArn,
    named: { property: 'handler', value: handler.node.path },
    consumer: handler,
    problems: [],
    admit: scope => admitTopicToFunction(scope, handler, topic),
  };
}

export function endpointRecipient(url: string, options: EndpointDeliveryOptions): Recipient {
  const { protocol, problems } = readEndpoint(url, options.protocol);
  const deliveryPolicy = options.deliveryPolicy && deliverySettings(options.deliveryPolicy);
  return {
    protocol,
    endpoint: url,
    named: { property: 'url', value: protocol },
    ...(deliveryPolicy && { deliveryPolicy }),
    problems: [...problems, ...(deliveryPolicy ? deliveryProblems(deliveryPolicy, options.rawMessageDelivery) : [])],
  };
}
