import { App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AlarmDefaults, AlarmSet, DeliveryStatusLogging, DurableTopic, type DurableTopicProps } from '../../../lib';
import { findings, validate } from '../../support/validations';
import {
  newStack,
  numberToken,
  only,
  opsTopic,
  problemsOf,
  templateOf,
  textToken,
  warningIds,
  warningText,
} from '../support';

describe('delivery status logging', () => {
  /** A stack whose topic logs. */
  function logging(set: AlarmSet = AlarmSet.ESSENTIAL) {
    const stack = newStack();
    AlarmDefaults.of(stack).use(set);
    const topic = new Topic(stack, 'Topic');
    return { stack, topic, logs: new DeliveryStatusLogging(stack, 'Logging', { topic }) };
  }

  describe('A failure that SNS logs', () => {
    test('is counted by the metric filters of the failure log group, without a default value next to dimensions', () => {
      const { stack, logs } = logging(AlarmSet.ALL);
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

    test('is a metric of the topic, with the dimensions of its filter', () => {
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

  test('The saved queries are in a folder of the topic, over the topic’s log groups', () => {
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

  describe('A topic with a stated name', () => {
    test.each([
      ['a FIFO topic, whose name aws-cdk-lib makes', { fifo: true }],
      ['a named topic', { topicName: 'orders' }],
    ])('has a custom resource that creates its log groups: %s', (_, props) => {
      const stack = newStack();
      const { deliveryStatus } = new DurableTopic(stack, 'Topic', props);
      const template = templateOf(stack);
      const [id, { Properties }] = only(template, 'Custom::DeliveryStatusLogGroups');
      expect(id).toMatch(/^DeliveryStatusLogGroups[0-9a-f]{16}$/);
      expect(Properties).toMatchObject({ RetentionInDays: 90, KmsKeyId: '', OnDelete: 'Keep' });
      const Name = { 'Fn::GetAtt': [id, 'FailureLogGroup'] };
      expect(stack.resolve(deliveryStatus?.failureLogGroup.logGroupName)).toEqual(Name);
      for (const { Properties } of Object.values(template.findResources('AWS::Logs::MetricFilter'))) {
        expect(Properties.LogGroupName).toEqual(Name);
      }
      expect(Object.keys(template.findResources('AWS::Logs::LogGroup'))).toEqual([
        expect.stringContaining('DeadLetterOfficeTopicDeliveryPolicies'),
      ]);
    });

    test('lets that function delete log groups only if they are to be deleted', () => {
      const actionsOf = (removalPolicy: RemovalPolicy) => {
        const stack = newStack();
        new DurableTopic(stack, 'Topic', { topicName: 'orders', deliveryStatusLogging: { removalPolicy } });
        return JSON.stringify(templateOf(stack).toJSON());
      };
      expect(actionsOf(RemovalPolicy.RETAIN)).not.toContain('logs:DeleteLogGroup');
      expect(actionsOf(RemovalPolicy.DESTROY)).toContain('logs:DeleteLogGroup');
    });

    test('has no finding of cdk-nag', () => {
      const app = new App();
      validate(app);
      const stack = new Stack(app, 'Stack');
      new DurableTopic(stack, 'Topic', { topicName: 'orders' });
      expect(findings(app)).toEqual([]);
    });
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

    test('admits CloudWatch Logs once, for the log groups of SNS, even if it is the topic’s key too', () => {
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

    test('gets a warning with the statement to add if it is imported', () => {
      const stack = newStack();
      const keyArn = 'arn:aws:kms:us-east-1:111122223333:key/0f1e';
      const encryptionKey = Key.fromKeyArn(stack, 'Key', keyArn);
      const topic = new Topic(stack, 'Topic');
      const { role } = new DeliveryStatusLogging(stack, 'Logging', { topic, encryptionKey });
      topic.addLoggingConfig({ protocol: LoggingProtocol.SQS, failureFeedbackRole: role });
      expect(warningIds(stack)).toEqual(['key-policy-not-writable']);
      expect(warningText(stack, 'key-policy-not-writable')).toMatch(
        /CloudFormation cannot create the log groups, and the deployment fails: .+"kms:EncryptionContext:aws:logs:arn":"arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:sns/,
      );
    });
  });
});

describe('topic health', () => {
  function topicOf(props: DurableTopicProps = {}) {
    const stack = newStack();
    const alarmActions = [opsTopic(stack)];
    return { stack, topic: new DurableTopic(stack, 'Topic', { topicName: 'orders', alarmActions, ...props }) };
  }

  /** Subscribes a queue without a dead-letter queue. */
  function addUnkept({ stack, topic }: ReturnType<typeof topicOf>): void {
    topic.addSubscription(new SqsSubscription(new Queue(stack, 'Unkept')));
  }

  describe('The failure rate of a topic', () => {
    test('is the share of failed attempts over five minutes, in percent', () => {
      const { topic } = topicOf();
      const rate = topic.metricDeliveryFailureRate();
      expect(rate.expression).toBe(
        '100 * FILL(failed, 0 * delivered) / (FILL(failed, 0 * delivered) + FILL(delivered, 0 * failed))',
      );
      expect(rate.period.toMinutes()).toBe(5);
      const used = Object.entries(rate.usingMetrics).map(([id, metric]) => [id, JSON.stringify(metric)]);
      expect(used).toEqual([
        ['failed', expect.stringMatching(/"metricName":"NumberOfNotificationsFailed".*"statistic":"Sum"/)],
        ['delivered', expect.stringMatching(/"metricName":"NumberOfNotificationsDelivered".*"statistic":"Sum"/)],
      ]);
      expect(topic.metricDeliveryFailureRate({ label: 'rate', period: Duration.hours(1) })).toMatchObject({
        label: 'rate',
        period: Duration.hours(1),
      });
    });

    test('has an alarm if one is requested, and otherwise none', () => {
      const plain = topicOf();
      expect(plain.topic.deliveryFailureRateAlarm).toBeUndefined();
      templateOf(plain.stack).resourceCountIs('AWS::CloudWatch::Alarm', 0);
      const { stack, topic } = topicOf({ deliveryFailureRateAlarm: {} });
      expect(topic.alarms).toEqual([topic.deliveryFailureRateAlarm]);
      const [, { Properties }] = only(templateOf(stack), 'AWS::CloudWatch::Alarm');
      const { Metrics: metrics, ...alarm } = Properties;
      expect(alarm).toMatchObject({
        AlarmName: 'orders-FailureRate',
        AlarmDescription: expect.stringMatching(
          /^More than 10 percent of delivery attempts fail\. .+#deliveries-failing$/,
        ),
        Threshold: 10,
        EvaluationPeriods: 3,
        DatapointsToAlarm: 3,
        TreatMissingData: 'notBreaching',
      });
      const [math, ...parts] = metrics as { Expression?: string; MetricStat?: { Period: number } }[];
      expect(math?.Expression).toBe(
        'IF((FILL(failed, 0 * delivered) + FILL(delivered, 0 * failed)) >= 20, 100 * FILL(failed, 0 * delivered) / (FILL(failed, 0 * delivered) + FILL(delivered, 0 * failed)), 0)',
      );
      expect(parts.map(({ MetricStat }) => MetricStat?.Period)).toEqual([300, 300]);
    });

    test('must be one that can be exceeded, among attempts that can be counted', () => {
      const asked = (thresholdPercent: number, minimumAttempts: number) =>
        problemsOf(() => topicOf({ deliveryFailureRateAlarm: { thresholdPercent, minimumAttempts } })).slice(1);
      expect(asked(100, 0)).toEqual([
        '  - deliveryFailureRateAlarm.thresholdPercent must be a whole number from 0 to 99, got 100',
        '  - deliveryFailureRateAlarm.minimumAttempts must be a whole number from 1 to 1,000,000,000, got 0',
      ]);
      expect(asked(0, 1)).toEqual([]);
    });

    test('may be known only at deployment', () => {
      const deliveryFailureRateAlarm = { thresholdPercent: numberToken(), minimumAttempts: numberToken() };
      const [, { Properties }] = only(
        templateOf(topicOf({ deliveryFailureRateAlarm }).stack),
        'AWS::CloudWatch::Alarm',
      );
      const token = { Ref: 'AWS::AccountId' };
      expect(Properties['Threshold']).toEqual(token);
      expect(JSON.stringify(Properties['AlarmDescription'])).toMatch(/"More than ",\{"Ref":"AWS::AccountId"\}/);
      expect(JSON.stringify(Properties['Metrics'])).toMatch(/>= ",\{"Ref":"AWS::AccountId"\},", 100/);
    });
  });

  test('The topic has a metric for messages that a filter drops because the body is not JSON', () => {
    const { topic } = topicOf();
    const { metricName, statistic } = topic.metricNumberOfNotificationsFilteredOutInvalidMessageBody();
    expect([metricName, statistic]).toEqual(['NumberOfNotificationsFilteredOut-InvalidMessageBody', 'Sum']);
  });

  describe('A subscription without a dead-letter queue', () => {
    test('has an alarm on the messages it loses, which the log shows', () => {
      const own = topicOf();
      addUnkept(own);
      const { stack, topic } = own;
      expect(topic.alarms).toEqual([topic.unkeptMessagesAlarm]);
      const [, { Properties }] = only(templateOf(stack), 'AWS::CloudWatch::Alarm');
      expect(Properties).toMatchObject({
        AlarmName: 'orders-Unkept',
        Namespace: 'DeadLetterOffice',
        MetricName: 'DeliveriesUnkept',
        Dimensions: [{ Name: 'TopicArn', Value: stack.resolve(topic.topicArn) }],
        Period: 60,
        Threshold: 0,
      });
    });

    test('has no such alarm without logs', () => {
      const unlogged = topicOf({ logDeliveryStatus: false });
      addUnkept(unlogged);
      expect(unlogged.topic.unkeptMessagesAlarm).toBeUndefined();
      const { topic } = topicOf();
      topic.addSubscription(new EmailSubscription('ops@example.com'));
      expect(topic.unkeptMessagesAlarm).toBeUndefined();
    });
  });

  describe('The alarm of a topic that loses messages', () => {
    test('is created if there are actions for it, and otherwise not', () => {
      const { topic } = topicOf({ lossActions: [] });
      topic.deliverToEndpoint('Partner', 'https://partner.example.com/orders');
      expect(topic.losingMessagesAlarm).toBeUndefined();
      expect(topic.alarms).toEqual([topic.deadLetteredAlarm, topic.lostMessagesAlarm]);
    });

    test.each([
      ['first', (own: ReturnType<typeof topicOf>) => addUnkept(own)],
      ['last', () => undefined],
    ])('fires for each way to lose messages, also if a subscription without dead letters came %s', (when, before) => {
      const stack = newStack();
      const lossActions = [opsTopic(stack, 'Pager')];
      const topic = new DurableTopic(stack, 'Topic', { lossActions, topicName: textToken() });
      expect(topic.losingMessagesAlarm).toBeUndefined();
      before({ stack, topic });
      topic.deliverToEndpoint('Partner', 'https://partner.example.com/orders');
      if (when === 'last') addUnkept({ stack, topic });
      expect(topic.alarms).toContain(topic.losingMessagesAlarm);
      const [, { Properties }] = only(templateOf(stack), 'AWS::CloudWatch::CompositeAlarm');
      expect(Properties['AlarmActions']).toEqual([{ Ref: expect.stringMatching(/^Pager/) }]);
      expect(Properties['AlarmName']).toMatch(/^StackTopicLosingMessagesAlarm/);
      expect(JSON.stringify(Properties['AlarmRule'])).toMatch(/TopicLostMessagesAlarm.+ OR .+TopicUnkeptAlarm/);
    });
  });
});
