import { Key } from 'aws-cdk-lib/aws-kms';
import { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeliveryStatusLogging, DurableTopic } from '../../lib';
import { newStack, numberToken, only, templateOf, warningIds, warningText } from './support';

/** A stack whose topic logs. */
function logging() {
  const stack = newStack();
  const topic = new Topic(stack, 'Topic');
  return { stack, topic, logs: new DeliveryStatusLogging(stack, 'Logging', { topic }) };
}

describe('Every failure that SNS logs', () => {
  test('is counted by the filters of the failure log group, with no default value beside dimensions', () => {
    const { stack, logs } = logging();
    const filters = Object.values(templateOf(stack).findResources('AWS::Logs::MetricFilter'));
    const shown = filters.map(({ Properties: { FilterPattern, LogGroupName, MetricTransformations } }) => {
      const [{ MetricName, Dimensions }] = MetricTransformations;
      expect(MetricTransformations).toEqual([
        { MetricName, Dimensions, MetricNamespace: 'DeadLetterOffice', MetricValue: '1' },
      ]);
      expect(LogGroupName).toEqual(stack.resolve(logs.failureLogGroup.logGroupName));
      const fields = Dimensions.map(({ Key: key, Value }: { Key: string; Value: string }) => `${key} ${Value}`);
      return [MetricName, FilterPattern, fields.join(', ')];
    });
    const isOfTopic = '($.notification.topicArn = "*")';
    const ofTopic = 'TopicArn $.notification.topicArn';
    expect(shown).toEqual([
      [
        'DeliveryFailures',
        `{ ${isOfTopic} && ($.delivery.statusCode = *) }`,
        `${ofTopic}, StatusCode $.delivery.statusCode`,
      ],
      [
        'DeliveryClientErrors',
        `{ ${isOfTopic} && ($.delivery.statusCode >= 400) && ($.delivery.statusCode < 500) }`,
        ofTopic,
      ],
      [
        'DeliveryServerErrors',
        `{ ${isOfTopic} && ($.delivery.statusCode >= 500) && ($.delivery.statusCode < 600) }`,
        ofTopic,
      ],
      [
        'DeliveryOtherFailures',
        `{ ${isOfTopic} && (($.delivery.statusCode NOT EXISTS) || ($.delivery.statusCode < 400) || ($.delivery.statusCode >= 600)) }`,
        ofTopic,
      ],
      ['DeliveriesUnkept', `{ ${isOfTopic} && ($.delivery.redrivePolicy NOT EXISTS) }`, ofTopic],
    ]);
  });

  test('is a metric of the topic, by the dimensions its filter gives it', () => {
    const { stack, topic, logs } = logging();
    const metrics = [
      logs.metricFailures(403),
      logs.metricClientErrors(),
      logs.metricServerErrors({ statistic: 'Maximum' }),
      logs.metricOtherFailures(),
      logs.metricUnkept(),
    ];
    const TopicArn = topic.topicArn;
    expect(metrics.map(({ metricName, dimensions, statistic }) => [metricName, dimensions, statistic])).toEqual([
      ['DeliveryFailures', { TopicArn, StatusCode: '403' }, 'Sum'],
      ['DeliveryClientErrors', { TopicArn }, 'Sum'],
      ['DeliveryServerErrors', { TopicArn }, 'Maximum'],
      ['DeliveryOtherFailures', { TopicArn }, 'Sum'],
      ['DeliveriesUnkept', { TopicArn }, 'Sum'],
    ]);
    expect(metrics[0]?.period.toSeconds()).toBe(300);
    const { StatusCode } = logs.metricFailures(numberToken()).dimensions ?? {};
    expect(stack.resolve(StatusCode)).toEqual({ Ref: 'AWS::AccountId' });
  });
});

test('The queries are saved in a folder of the topic, over the log groups they are about', () => {
  const { stack, topic, logs } = logging();
  const queries = Object.values(templateOf(stack).findResources('AWS::Logs::QueryDefinition'));
  const [success, failure] = [logs.successLogGroup, logs.failureLogGroup].map(it => stack.resolve(it.logGroupName));
  const named = (question: string) => stack.resolve(`DeadLetterOffice/${topic.topicName}/${question}`);
  expect(queries.map(({ Properties: { Name, LogGroupNames } }) => [Name, LogGroupNames])).toEqual([
    [named('Why did this message die'), [success, failure]],
    [named('Slowest endpoints'), [success, failure]],
    [named('Who is failing now'), [failure]],
  ]);
});

describe('A key for the log groups', () => {
  const allowed = {
    Action: ['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'],
    Effect: 'Allow',
    Principal: {
      Service: { 'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]] },
    },
    Resource: '*',
  };

  test('lets CloudWatch Logs in once, for the log groups of SNS, though it is the topic’s key too', () => {
    const stack = newStack();
    const key = new Key(stack, 'Key');
    for (const id of ['Orders', 'Invoices']) {
      const topic = new DurableTopic(stack, id, { masterKey: key, deliveryStatusLogging: { encryptionKey: key } });
      topic.deliverToQueue('Queue', new Queue(stack, `${id}Queue`));
    }
    const [, { Properties }] = only(templateOf(stack), 'AWS::KMS::Key');
    const { Statement } = Properties['KeyPolicy'] as { Statement: { Condition?: { ArnLike?: object } }[] };
    const ours = Statement.filter(({ Condition }) => JSON.stringify(Condition ?? '').includes('EncryptionContext'));
    expect(ours).toEqual([
      {
        ...allowed,
        Condition: {
          ArnLike: {
            'kms:EncryptionContext:aws:logs:arn': stack.resolve(
              `arn:${stack.partition}:logs:${stack.region}:${stack.account}:log-group:sns/${stack.region}/${stack.account}/*`,
            ),
          },
        },
      },
    ]);
  });

  test('that was made elsewhere gets a warning, with the statement', () => {
    const stack = newStack();
    const keyArn = 'arn:aws:kms:us-east-1:111122223333:key/0f1e';
    const encryptionKey = Key.fromKeyArn(stack, 'Key', keyArn);
    const topic = new Topic(stack, 'Topic');
    const { role } = new DeliveryStatusLogging(stack, 'Logging', { topic, encryptionKey });
    topic.addLoggingConfig({ protocol: LoggingProtocol.SQS, failureFeedbackRole: role });
    expect(warningIds(stack)).toEqual(['key-policy-not-writable']);
    expect(warningText(stack, 'key-policy-not-writable')).toMatch(
      /the log groups cannot be made, and the deployment fails: .+"kms:EncryptionContext:aws:logs:arn":"arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:sns/,
    );
  });
});
