/**
 * Alarms go to a Slack channel. An administrator must first authorize the workspace in the console of Amazon Q Developer
 * in chat applications.
 */
import { App, Stack } from 'aws-cdk-lib';
import { LoggingLevel, SlackChannelConfiguration } from 'aws-cdk-lib/aws-chatbot';
import { DurableTopic, OpsTopic } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');

const ops = new OpsTopic(stack, 'Ops');
new SlackChannelConfiguration(stack, 'Slack', {
  slackChannelConfigurationName: 'orders-alarms',
  slackWorkspaceId: 'T07EXAMPLE',
  slackChannelId: 'C07EXAMPLE',
  notificationTopics: [ops],
  loggingLevel: LoggingLevel.ERROR,
});

new DurableTopic(stack, 'OrdersTopic', { alarmActions: [ops] }).deliverToEndpoint(
  'Partner',
  'https://partner.example.com',
);
