/**
 * The apps of `npm run check:doctor`: each uses a construct of a public npm package. The patterns of AWS Solutions
 * Constructs are those of `npm run check:patterns`, some of them also in other shapes.
 */
import { PATTERN_PACKAGES, patternProps } from './pattern-packages.mjs';

const SCOPE = '@aws-solutions-constructs/';

/** Other packages. */
const OTHER_PACKAGES = {
  '@guardian/cdk': '64.3.0',
  'cdk-monitoring-constructs': '10.2.0',
  'cdk-s3-upload-presignedurl-api': '0.0.7',
  'cdk-serverless-clamscan': '2.13.46',
  'cdk-watchful': '0.6.458',
};

/** All packages, with their versions. */
export const PACKAGES = {
  ...Object.fromEntries(Object.keys(PATTERN_PACKAGES).map(name => [SCOPE + name, '^2.0.0'])),
  ...OTHER_PACKAGES,
};

function pattern(name, more = () => ({})) {
  return (require, stack) => {
    const Pattern = require(SCOPE + name)[PATTERN_PACKAGES[name]];
    new Pattern(stack, 'Pattern', { ...patternProps(require, name, stack), ...more(require, stack) });
  };
}

function handler(require, stack, id = 'Handler') {
  const { Code, Function: LambdaFunction, Runtime } = require('aws-cdk-lib/aws-lambda');
  const code = Code.fromInline('exports.handler = async () => {};');
  return new LambdaFunction(stack, id, { runtime: Runtime.NODEJS_22_X, handler: 'index.handler', code });
}

const guardianFunction = require => ({
  app: 'orders',
  fileName: 'orders.zip',
  handler: 'index.handler',
  runtime: require('aws-cdk-lib/aws-lambda').Runtime.NODEJS_22_X,
});

const UNMONITORED = { monitoringConfiguration: { noMonitoring: true } };

/** Shapes of the patterns that their defaults do not have. */
const SHAPES = {
  'aws-apigateway-sqs without a dead-letter queue': pattern('aws-apigateway-sqs', () => ({
    deployDeadLetterQueue: false,
  })),
  'aws-apigateway-sqs that reads and deletes': pattern('aws-apigateway-sqs', () => ({
    allowReadOperation: true,
    allowDeleteOperation: true,
  })),
  'aws-dynamodbstreams-lambda without a queue for failures': pattern('aws-dynamodbstreams-lambda', () => ({
    deploySqsDlqQueue: false,
  })),
  'aws-kinesisstreams-lambda without a queue for failures': pattern('aws-kinesisstreams-lambda', () => ({
    deploySqsDlqQueue: false,
  })),
  'aws-eventbridge-sqs with a dead-letter queue of the rule': pattern('aws-eventbridge-sqs', () => ({
    deployEventRuleDlq: true,
  })),
  'aws-lambda-sqs without a dead-letter queue': pattern('aws-lambda-sqs', () => ({ deployDeadLetterQueue: false })),
  'aws-sns-sqs without a dead-letter queue': pattern('aws-sns-sqs', () => ({ deployDeadLetterQueue: false })),
  'aws-sns-sqs with a key': pattern('aws-sns-sqs', (require, stack) => ({
    encryptQueueWithCmk: true,
    encryptTopicWithCmk: true,
    queueEncryptionKey: new (require('aws-cdk-lib/aws-kms').Key)(stack, 'Key'),
  })),
  'aws-sqs-lambda without a dead-letter queue': pattern('aws-sqs-lambda', () => ({ deployDeadLetterQueue: false })),
  'aws-sqs-lambda, FIFO': pattern('aws-sqs-lambda', () => ({
    queueProps: { fifo: true },
    deadLetterQueueProps: { fifo: true },
  })),
  'aws-sqs-lambda and aws-sns-sqs, five times in a stack': (require, stack) => {
    const { Construct } = require('constructs');
    for (let index = 1; index <= 5; index += 1) {
      for (const name of ['aws-sqs-lambda', 'aws-sns-sqs'])
        pattern(name)(require, new Construct(stack, `${name}-${index}`));
    }
  },
};

const OTHERS = {
  '@guardian/cdk GuSnsLambda': (require, stack) => {
    const { GuSnsLambdaExperimental } = require('@guardian/cdk/lib/experimental/patterns');
    new GuSnsLambdaExperimental(stack, 'Orders', { ...guardianFunction(require), ...UNMONITORED });
  },
  '@guardian/cdk GuSnsLambda with monitoring': (require, stack) => {
    const { GuSnsLambdaExperimental } = require('@guardian/cdk/lib/experimental/patterns');
    const monitoringConfiguration = { toleratedErrorPercentage: 1, snsTopicName: 'alerts' };
    new GuSnsLambdaExperimental(stack, 'Orders', { ...guardianFunction(require), monitoringConfiguration });
  },
  '@guardian/cdk GuKinesisLambda': (require, stack) => {
    const { GuKinesisLambdaExperimental } = require('@guardian/cdk/lib/experimental/patterns');
    const { StreamRetry } = require('@guardian/cdk/lib/utils/lambda');
    const { Duration } = require('aws-cdk-lib');
    new GuKinesisLambdaExperimental(stack, 'Orders', {
      ...guardianFunction(require),
      ...UNMONITORED,
      errorHandlingConfiguration: { bisectBatchOnError: true, retryBehaviour: StreamRetry.maxAge(Duration.hours(1)) },
    });
  },
  '@guardian/cdk GuScheduledLambda': (require, stack) => {
    const { GuScheduledLambda } = require('@guardian/cdk');
    const { Schedule } = require('aws-cdk-lib/aws-events');
    const rules = [{ schedule: Schedule.rate(require('aws-cdk-lib').Duration.hours(1)) }];
    new GuScheduledLambda(stack, 'Orders', { ...guardianFunction(require), rules, ...UNMONITORED });
  },
  '@guardian/cdk GuApiLambda': (require, stack) => {
    const { GuApiLambda } = require('@guardian/cdk');
    const api = { id: 'api', description: 'orders' };
    new GuApiLambda(stack, 'Orders', { ...guardianFunction(require), api, ...UNMONITORED });
  },
  'cdk-monitoring-constructs, a queue with its dead-letter queue': (require, stack) => {
    const { MonitoringFacade, SnsAlarmActionStrategy } = require('cdk-monitoring-constructs');
    const { Queue } = require('aws-cdk-lib/aws-sqs');
    const deadLetterQueue = new Queue(stack, 'Dead');
    const queue = new Queue(stack, 'Work', { deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 3 } });
    const action = new SnsAlarmActionStrategy({
      onAlarmTopic: new (require('aws-cdk-lib/aws-sns').Topic)(stack, 'Ops'),
    });
    new MonitoringFacade(stack, 'Monitoring', {
      alarmFactoryDefaults: { actionsEnabled: true, alarmNamePrefix: 'Shop', action },
    }).monitorSqsQueueWithDlq({
      queue,
      deadLetterQueue,
      addDeadLetterQueueMaxSizeAlarm: { Critical: { maxMessageCount: 0 } },
    });
  },
  'cdk-monitoring-constructs, alarms without actions': (require, stack) => {
    const { MonitoringFacade } = require('cdk-monitoring-constructs');
    const { Queue } = require('aws-cdk-lib/aws-sqs');
    const deadLetterQueue = new Queue(stack, 'Dead');
    const queue = new Queue(stack, 'Work', { deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 3 } });
    new MonitoringFacade(stack, 'Monitoring', {
      alarmFactoryDefaults: { actionsEnabled: false, alarmNamePrefix: 'Shop' },
    }).monitorSqsQueueWithDlq({
      queue,
      deadLetterQueue,
      addDeadLetterQueueMaxSizeAlarm: { Critical: { maxMessageCount: 0 } },
      addQueueMaxMessageAgeAlarm: { Critical: { maxAgeInSeconds: 864_000 } },
    });
  },
  'cdk-monitoring-constructs, a function and a topic': (require, stack) => {
    const { MonitoringFacade } = require('cdk-monitoring-constructs');
    const { Topic } = require('aws-cdk-lib/aws-sns');
    const { LambdaSubscription } = require('aws-cdk-lib/aws-sns-subscriptions');
    const topic = new Topic(stack, 'Topic');
    const lambdaFunction = handler(require, stack);
    topic.addSubscription(new LambdaSubscription(lambdaFunction));
    new MonitoringFacade(stack, 'Monitoring', {
      alarmFactoryDefaults: { actionsEnabled: true, alarmNamePrefix: 'Shop' },
    })
      .monitorLambdaFunction({ lambdaFunction, addFaultCountAlarm: { Critical: { maxErrorCount: 0 } } })
      .monitorSnsTopic({ topic, addMinNumberOfMessagesPublishedAlarm: { Critical: { minMessagesPublishedCount: 0 } } });
  },
  'cdk-s3-upload-presignedurl-api': (require, stack) => {
    new (require('cdk-s3-upload-presignedurl-api').S3UploadPresignedUrlApi)(stack, 'Upload');
  },
  'cdk-serverless-clamscan': (require, stack) => {
    const { Bucket } = require('aws-cdk-lib/aws-s3');
    const buckets = [new Bucket(stack, 'Uploads')];
    new (require('cdk-serverless-clamscan').ServerlessClamscan)(stack, 'Scan', { buckets });
  },
  'cdk-serverless-clamscan with a destination for results': (require, stack) => {
    const { Bucket } = require('aws-cdk-lib/aws-s3');
    const { SqsDestination } = require('aws-cdk-lib/aws-lambda-destinations');
    const { Queue } = require('aws-cdk-lib/aws-sqs');
    new (require('cdk-serverless-clamscan').ServerlessClamscan)(stack, 'Scan', {
      buckets: [new Bucket(stack, 'Uploads')],
      onResult: new SqsDestination(new Queue(stack, 'Results')),
      onError: new SqsDestination(new Queue(stack, 'Errors')),
    });
  },
  'cdk-watchful': (require, stack) => {
    const { Watchful } = require('cdk-watchful');
    const alarmSns = new (require('aws-cdk-lib/aws-sns').Topic)(stack, 'Ops');
    new Watchful(stack, 'Watchful', { alarmSns }).watchLambdaFunction('Handler', handler(require, stack));
  },
};

/** Each app by name, with the function that adds its constructs to a stack. */
export const APPS = {
  ...Object.fromEntries(Object.keys(PATTERN_PACKAGES).map(name => [name, pattern(name)])),
  ...SHAPES,
  ...OTHERS,
};

/** Constructs of The Guardian need a stack of their own. */
export function stackOf(require, name, app) {
  const { Stack } = require('aws-cdk-lib');
  if (!name.startsWith('@guardian/cdk')) return new Stack(app, 'App');
  const { GuStack } = require('@guardian/cdk/lib/constructs/core');
  return new GuStack(app, 'App', { stack: 'shop', stage: 'PROD', app: 'orders', env: { region: 'eu-west-1' } });
}
