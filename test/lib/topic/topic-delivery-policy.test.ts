import { Aws, CfnParameter, Duration, Stack, Stage, Token } from 'aws-cdk-lib';
import { BackoffFunction, type DeliveryPolicy, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { DurableTopic, TopicDeliveryPolicy, type TopicDeliveryPolicyProps } from '../../../lib';
import {
  ELSEWHERE,
  HERE,
  newApp,
  newStack,
  numberToken,
  only,
  problemsOf,
  templateOf,
  warningIds,
  warningText,
} from '../support';

const TYPE = 'Custom::TopicDeliveryPolicy';
const POLICY: DeliveryPolicy = { healthyRetryPolicy: { numRetries: 5 } };
const LITERAL_ARN = `arn:aws:sns:${HERE.region}:${HERE.account}:orders`;

function stackWith(props: Partial<TopicDeliveryPolicyProps>): Stack {
  const stack = newStack();
  new TopicDeliveryPolicy(stack, 'Policy', { topic: new Topic(stack, 'Topic'), deliveryPolicy: POLICY, ...props });
  return stack;
}

/** Returns the policy that the function gets. */
function documentOf(stack: Stack): unknown {
  const { DeliveryPolicy } = only(templateOf(stack), TYPE)[1].Properties;
  return typeof DeliveryPolicy === 'string' ? JSON.parse(DeliveryPolicy) : DeliveryPolicy;
}

const logicalIdOf = (stack: Stack) => only(templateOf(stack), TYPE)[0];

describe('The delivery policy of a topic', () => {
  /** aws-semantics.md 2.7: the topic's form. */
  test('is passed to the function as text, in the form that SNS has for topics', () => {
    const stack = stackWith({
      deliveryPolicy: {
        healthyRetryPolicy: {
          numRetries: 50,
          numNoDelayRetries: 3,
          numMinDelayRetries: 2,
          numMaxDelayRetries: 35,
          minDelayTarget: Duration.seconds(1),
          maxDelayTarget: Duration.minutes(1),
          backoffFunction: BackoffFunction.EXPONENTIAL,
        },
        throttlePolicy: { maxReceivesPerSecond: 10 },
        requestPolicy: { headerContentType: 'application/json' },
      },
      disableSubscriptionOverrides: true,
    });
    expect(documentOf(stack)).toEqual({
      http: {
        defaultHealthyRetryPolicy: {
          minDelayTarget: 1,
          maxDelayTarget: 60,
          numRetries: 50,
          numMaxDelayRetries: 35,
          numNoDelayRetries: 3,
          numMinDelayRetries: 2,
          backoffFunction: 'exponential',
        },
        defaultThrottlePolicy: { maxReceivesPerSecond: 10 },
        defaultRequestPolicy: { headerContentType: 'application/json' },
        disableSubscriptionOverrides: true,
      },
    });
  });

  test('has the three members without which SNS rejects the policy', () => {
    expect(documentOf(stackWith({}))).toEqual({
      http: { defaultHealthyRetryPolicy: { minDelayTarget: 20, maxDelayTarget: 20, numRetries: 5 } },
    });
  });

  test('may only state that subscriptions have none of their own', () => {
    expect(documentOf(stackWith({ deliveryPolicy: {}, disableSubscriptionOverrides: true }))).toEqual({
      http: { disableSubscriptionOverrides: true },
    });
  });

  test('passes numbers that are known only at deployment as numbers', () => {
    const stack = newStack();
    const retries = new CfnParameter(stack, 'Retries', { type: 'Number', default: 4 });
    const healthyRetryPolicy = { numRetries: retries.valueAsNumber, minDelayTarget: Duration.seconds(numberToken()) };
    new TopicDeliveryPolicy(stack, 'Policy', {
      topic: new Topic(stack, 'Topic'),
      deliveryPolicy: { healthyRetryPolicy },
    });
    expect(documentOf(stack)).toEqual({
      'Fn::Join': [
        '',
        [
          '{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":',
          { Ref: 'AWS::AccountId' },
          ',"maxDelayTarget":20,"numRetries":',
          { Ref: 'Retries' },
          '}}}',
        ],
      ],
    });
  });

  test('fails a deployment that hangs, after ten minutes', () => {
    expect(only(templateOf(stackWith({})), TYPE)[1].Properties['ServiceTimeout']).toBe('600');
  });
});

describe('The function behind the delivery policies', () => {
  const two = () => {
    const stack = newStack();
    for (const id of ['A', 'B']) {
      new TopicDeliveryPolicy(stack, `${id}Policy`, { topic: new Topic(stack, id), deliveryPolicy: POLICY });
    }
    return templateOf(stack);
  };

  test('is one for all topics of a stack, with a log kept for three months', () => {
    const template = two();
    template.resourceCountIs(TYPE, 2);
    template.resourceCountIs('AWS::Lambda::Function', 1);
    template.resourceCountIs('AWS::IAM::Role', 1);
    const [log] = only(template, 'AWS::Logs::LogGroup', { Properties: { RetentionInDays: 90 } });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Timeout: 180,
      LoggingConfig: { LogGroup: { Ref: log } },
    });
  });

  test('does not start on a request that CloudFormation no longer waits for', () => {
    two().hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumEventAgeInSeconds: 600 });
  });

  test('may set the attributes of those topics, write its own log, and nothing else', () => {
    const template = two();
    const [log] = only(template, 'AWS::Logs::LogGroup');
    const statements = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
      ({ Properties }) => Properties['PolicyDocument'].Statement,
    );
    const allow = (Action: unknown, Resource: unknown) => ({ Action, Effect: 'Allow', Resource });
    const topics = Object.keys(template.findResources('AWS::SNS::Topic'));
    expect(statements).toHaveLength(3);
    expect(statements).toEqual(
      expect.arrayContaining([
        allow(['logs:CreateLogStream', 'logs:PutLogEvents'], { 'Fn::GetAtt': [log, 'Arn'] }),
        ...topics.map(Ref => allow('sns:SetTopicAttributes', { Ref })),
      ]),
    );
    expect(only(template, 'AWS::IAM::Role')[1].Properties).not.toHaveProperty('ManagedPolicyArns');
  });

  test('has a permission for each topic, which is deleted after the policy is removed', () => {
    const template = two();
    for (const [logicalId, { DependsOn }] of Object.entries(template.findResources(TYPE))) {
      const access = `${logicalId}Access`;
      expect(template.findResources('AWS::IAM::Policy')).toHaveProperty(access);
      expect(DependsOn).toEqual(expect.arrayContaining([access, expect.stringMatching(/Function/)]));
    }
  });
});

describe('The logical id of a topic’s delivery policy', () => {
  const STABLE = /^TopicDeliveryPolicy[0-9a-f]{16}$/;
  const inScope = (make: (stack: Stack) => void) => {
    const stack = newStack();
    make(stack);
    return logicalIdOf(stack);
  };

  test('follows the topic’s: the construct may be renamed, moved, and passed to the topic itself', () => {
    const at = (scopeOf: (stack: Stack, topic: Topic) => Construct, id: string) =>
      inScope(stack => {
        const topic = new Topic(stack, 'Topic');
        new TopicDeliveryPolicy(scopeOf(stack, topic), id, { topic, deliveryPolicy: POLICY });
      });
    const first = at(stack => stack, 'Policy');
    expect(first).toMatch(STABLE);
    expect(at(stack => stack, 'Renamed')).toBe(first);
    expect(at(stack => new Construct(stack, 'Deeper'), 'Policy')).toBe(first);
    expect(at((_, topic) => topic, 'DeliveryPolicy')).toBe(first);
  });

  test('is the same in every stage', () => {
    const inStage = (id: string) => {
      const stack = new Stack(new Stage(newApp(), id), 'Stack');
      new TopicDeliveryPolicy(stack, 'Policy', { topic: new Topic(stack, 'Topic'), deliveryPolicy: POLICY });
      return logicalIdOf(stack);
    };
    expect(inStage('Beta')).toBe(inStage('Prod'));
  });

  test('differs for another topic, created here or imported by its ARN', () => {
    const of = (id: string, arn?: string) =>
      inScope(stack => {
        const topic = arn === undefined ? new Topic(stack, id) : Topic.fromTopicArn(stack, id, arn);
        new TopicDeliveryPolicy(stack, 'Policy', { topic, deliveryPolicy: POLICY });
      });
    const ids = [of('A'), of('B'), of('A', LITERAL_ARN), of('A', `${LITERAL_ARN}2`)];
    expect(new Set(ids).size).toBe(4);
    expect(of('Other', LITERAL_ARN)).toBe(ids[2]);
    expect(of('A', `arn:${Aws.PARTITION}:sns:us-east-1:111122223333:x`)).toMatch(STABLE);
  });
});

describe('A delivery policy of a topic is refused', () => {
  test('with all problems in one error, and creates nothing', () => {
    const stack = newStack({ ...HERE });
    const elsewhere = Topic.fromTopicArn(stack, 'Topic', `arn:aws:sns:${ELSEWHERE.region}:${ELSEWHERE.account}:orders`);
    const deliveryPolicy = { healthyRetryPolicy: { numRetries: 101 }, throttlePolicy: { maxReceivesPerSecond: 0.5 } };
    expect(problemsOf(() => new TopicDeliveryPolicy(stack, 'Policy', { topic: elsewhere, deliveryPolicy }))).toEqual([
      'Stack/Policy has 3 problems:',
      expect.stringContaining('numRetries'),
      expect.stringContaining('maxReceivesPerSecond'),
      '  - topic must be in the Region of the stack, us-east-1, got "eu-west-1"',
    ]);
    expect(templateOf(stack).toJSON()).not.toHaveProperty('Resources');
  });

  test('if the topic has one already, in any stack', () => {
    const app = newApp();
    const [one, other] = [new Stack(app, 'One'), new Stack(app, 'Other')];
    const topic = new Topic(one, 'Topic');
    new TopicDeliveryPolicy(one, 'Policy', { topic, deliveryPolicy: POLICY });
    const again = () => new TopicDeliveryPolicy(other, 'Policy', { topic, deliveryPolicy: POLICY });
    const rule =
      'topic must have no other TopicDeliveryPolicy, because one would overwrite the other, got "One/Policy"';
    expect(problemsOf(again)).toEqual(['Other/Policy has 1 problem:', `  - ${rule}`]);
  });

  test('if the same ARN has one already, imported twice', () => {
    const stack = newStack(HERE);
    const policyOf = (id: string) => {
      const topic = Topic.fromTopicArn(stack, id, LITERAL_ARN);
      return () => new TopicDeliveryPolicy(stack, `${id}Policy`, { topic, deliveryPolicy: POLICY });
    };
    policyOf('A')();
    expect(problemsOf(policyOf('B')).join()).toContain('topic must have no other TopicDeliveryPolicy');
  });
});

describe('A delivery policy of a topic gets a warning', () => {
  test('if the topic is FIFO, because no delivery follows the policy', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic', { fifo: true });
    new TopicDeliveryPolicy(stack, 'Policy', { topic, deliveryPolicy: POLICY });
    expect(warningIds(stack)).toEqual(['delivery-policy-without-effect']);
  });

  test('if the topic is in another account, with the statement that its policy needs', () => {
    const stack = newStack(HERE);
    const topic = Topic.fromTopicArn(stack, 'Topic', 'arn:aws:sns:us-east-1:222222222222:orders');
    new TopicDeliveryPolicy(stack, 'Policy', { topic, deliveryPolicy: POLICY });
    expect(warningIds(stack)).toEqual(['topic-of-another-account']);
    const text = warningText(stack, 'topic-of-another-account');
    expect(text).toContain('"Action":"sns:SetTopicAttributes"');
    expect(text).toContain('"AWS":"<ARN of Stack/DeadLetterOffice-TopicDeliveryPolicies/Role>"');
  });

  test('in no other case, tokens included', () => {
    expect(warningIds(stackWith({}))).toEqual([]);
    const stack = newStack(HERE);
    const topic = Topic.fromTopicArn(stack, 'Topic', Token.asString({ Ref: 'Given' }));
    new TopicDeliveryPolicy(stack, 'Policy', { topic, deliveryPolicy: POLICY });
    expect(warningIds(stack)).toEqual([]);
  });
});
