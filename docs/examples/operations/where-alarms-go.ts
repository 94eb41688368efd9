/**
 * Alarms go to a pager, through a relay that retries for three days, and to a second topic. At night, alarms that can
 * wait are muted.
 */
import { App, Duration, Stack, TimeZone } from 'aws-cdk-lib';
import { AlarmMuteRule, ScheduleExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import {
  DeadLetterQueue,
  DurableTopic,
  HttpRelay,
  ImportedTopic,
  OpsTopic,
  ProcessingQueue,
  RelayEndpoint,
} from 'dead-letter-office';

const app = new App();
export const stack = new Stack(app, 'Orders');

// The chat or mailbox that hears of problems of the pager's relay. It must not depend on the relay itself.
const chat = new OpsTopic(stack, 'Chat', { email: 'ops@example.com' });

// The pager. Its URL contains a key: put it into this secret after the first deployment.
const pager = new OpsTopic(stack, 'Pager');
const endpoint = RelayEndpoint.fromSecret(new Secret(stack, 'PagerUrl'));
const relay = new HttpRelay(stack, 'PagerRelay', { endpoint, alarmActions: [chat] });
new ImportedTopic(stack, 'Pages', { topic: pager, alarmActions: [chat] }).deliverToRelay('Pager', relay);

// What can wake an operator goes to both.
const orders = new DurableTopic(stack, 'OrdersTopic', { alarmActions: [chat, pager] });
orders.deliverToQueue('Fulfilment', new ProcessingQueue(stack, 'Fulfilment', { alarmActions: [chat, pager] }));

// What can wait until the morning. A mute rule takes 100 alarms. The alarm on arrivals is OK again by then, so another one
// stays in ALARM while dead letters wait, and notifies when the window ends.
const failed = new DeadLetterQueue(stack, 'FailedReports', {
  alarmActions: [chat, pager],
  unattendedAfter: Duration.hours(1),
});
const deadLetterQueue = { queue: failed, maxReceiveCount: 5 };
const reports = new ProcessingQueue(stack, 'Reports', { alarmActions: [chat, pager], deadLetterQueue });
new AlarmMuteRule(stack, 'QuietHours', {
  alarms: [...reports.alarms, ...failed.alarms],
  schedule: ScheduleExpression.cron({ minute: '0', hour: '22', timeZone: TimeZone.EUROPE_BERLIN }),
  duration: Duration.hours(9),
});
