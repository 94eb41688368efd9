/** Pieces of templates for the tests of deployments. */
export type Resources = Readonly<Record<string, object>>;

export const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

export const queue = (Properties: object = {}, more: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties, ...more });

export const topic = (Properties: object = {}) => ({ Type: 'AWS::SNS::Topic', Properties });

export const policy = (queueId: string, senders: readonly string[] = ['sns']) => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [{ Ref: queueId }],
    PolicyDocument: {
      Statement: senders.map(sender => ({
        Effect: 'Allow',
        Principal: { Service: `${sender}.amazonaws.com` },
        Action: 'sqs:SendMessage',
        Resource: arnOf(queueId),
      })),
    },
  },
});

export const subscription = (topicId: string, queueId: string, more: object = {}, DependsOn?: string) => ({
  Type: 'AWS::SNS::Subscription',
  Properties: { TopicArn: { Ref: topicId }, Protocol: 'sqs', Endpoint: arnOf(queueId), ...more },
  ...(DependsOn && { DependsOn }),
});

export const role = () => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    },
    Policies: [
      {
        PolicyName: 'all',
        PolicyDocument: { Statement: [{ Effect: 'Allow', Action: ['sqs:*', 'logs:*'], Resource: '*' }] },
      },
    ],
  },
});

export const worker = (properties: object = {}) => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    Runtime: 'nodejs22.x',
    Handler: 'index.handler',
    Role: arnOf('Role'),
    Timeout: 5,
    Code: { ZipFile: 'exports.handler = async () => {};' },
    ...properties,
  },
});

export const mapping = (queueId: string, functionId: string, more: object = {}) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: { EventSourceArn: arnOf(queueId), FunctionName: { Ref: functionId }, BatchSize: 1, ...more },
});

/** A topic, a queue with a dead-letter queue, and a function that works it off. */
export const FAN_OUT = {
  Topic: topic(),
  Dlq: queue(),
  Queue: queue({ RedrivePolicy: { deadLetterTargetArn: arnOf('Dlq'), maxReceiveCount: 2 } }),
  Policy: policy('Queue'),
  Sub: subscription('Topic', 'Queue', {}, 'Policy'),
  Role: role(),
  Worker: worker(),
  Mapping: mapping('Queue', 'Worker'),
};
