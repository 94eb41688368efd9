import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import * as sns from '@aws-sdk/client-sns';
import * as sqs from '@aws-sdk/client-sqs';
import { serviceModel } from './service-model';

export const SQS_MODEL = serviceModel(
  {
    name: 'sqs',
    targetPrefix: 'AmazonSQS',
    xmlNamespace: 'http://queue.amazonaws.com/doc/2012-11-05/',
    unsignedActions: [],
  },
  { ...sqs },
);

export const SNS_MODEL = serviceModel(
  {
    name: 'sns',
    targetPrefix: 'AmazonSimpleNotificationService',
    xmlNamespace: 'http://sns.amazonaws.com/doc/2010-03-31/',
    unsignedActions: ['ConfirmSubscription', 'Unsubscribe'],
  },
  { ...sns },
);

export const CLOUDWATCH_MODEL = serviceModel(
  {
    name: 'monitoring',
    targetPrefix: 'GraniteServiceVersion20100801',
    xmlNamespace: 'http://monitoring.amazonaws.com/doc/2010-08-01/',
    unsignedActions: [],
  },
  { ...cloudwatch },
);
