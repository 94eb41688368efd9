import { Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IStringParameter } from 'aws-cdk-lib/aws-ssm';
import type { IConstruct } from 'constructs';
import { acknowledgeAlarmsOf, alarmsStatement } from '../shared/access/alarms';
import { grantRedrive, grantSend } from '../shared/access/grants';
import { grantRoleSendOnKey } from '../shared/access/key';
import { warnOfAnotherAccount } from '../shared/access/topic';
import type { RedriveProps } from './redrive-props';

/** What it takes to take letters out, and to see whether somebody has SQS move them. */
const TAKE_ACTIONS = ['sqs:ListMessageMoveTasks', 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** What decides what the function may do. */
interface Access {
  readonly role: Role;
  readonly killSwitch: IStringParameter;
  /** Whether it may take letters out itself, of which it puts some back. */
  readonly mayCarry: boolean;
}

/** What the function may do with the letters, and with what says how the destination is. */
export function grantAccess(scope: IConstruct, props: RedriveProps, { role, killSwitch, mayCarry }: Access): void {
  const { deadLetterQueue, destination, quarantine, recoveryAlarms = [], healthAlarms = [], resultsTopic } = props;
  const { targetQueue: queue, handler, deadLetterQueue: failures } = destination;
  const allow = (action: string, resource: string) =>
    role.addToPolicy(new PolicyStatement({ actions: [action], resources: [resource] }));
  if (queue) {
    grantRedrive(deadLetterQueue, role, queue);
    allow('sqs:GetQueueAttributes', queue.queueArn);
  }
  if (handler) {
    deadLetterQueue.grant(role, ...TAKE_ACTIONS);
    deadLetterQueue.encryptionMasterKey?.grantDecrypt(role);
    allow('lambda:InvokeFunction', handler.functionArn);
  }
  if (mayCarry) allow('sqs:ChangeMessageVisibility', deadLetterQueue.queueArn);
  if (failures && failures.queueArn !== deadLetterQueue.queueArn) allow('sqs:GetQueueAttributes', failures.queueArn);
  if (quarantine) grantSend(quarantine, role);
  allow('ssm:GetParameter', killSwitch.parameterArn);
  const alarms = [...recoveryAlarms, ...healthAlarms];
  if (alarms.length > 0) {
    role.addToPolicy(alarmsStatement(scope, ['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeAlarmHistory'], alarms));
    acknowledgeAlarmsOf(role, 'alarms by their names', alarms);
  }
  allow('cloudwatch:GetMetricData', '*');
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'CloudWatch knows no resource for the data of metrics.',
  });
  if (resultsTopic) {
    allow('sns:Publish', resultsTopic.topicArn);
    if (resultsTopic.masterKey) grantRoleSendOnKey(resultsTopic.masterKey, role);
    warnOfAnotherAccount(scope, resultsTopic, role, 'sns:Publish', 'nobody hears of results');
  }
}
