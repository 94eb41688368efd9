import { ArnFormat, Stack, Token, Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { ownedMetricAlarm } from '../alarms/metric-alarms';

/** Whether all are metric alarms for certain: one that was made elsewhere may be a composite alarm. */
const areMetricAlarms = (alarms: readonly IAlarm[]) => alarms.every(it => ownedMetricAlarm(it) !== undefined);

/**
 * What a role must be let into to be told of alarms. Of metric alarms by name CloudWatch still asks for a permission on all
 * those of the Region: its refusals say `alarm:*`. Of composite ones it tells nobody whose permission is narrower than `*`.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html
 */
export function alarmsStatement(
  scope: IConstruct,
  actions: readonly string[],
  alarms: readonly IAlarm[],
): PolicyStatement {
  const everyAlarm = Stack.of(scope).formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return new PolicyStatement({ actions: [...actions], resources: [areMetricAlarms(alarms) ? everyAlarm : '*'] });
}

/** Says to cdk-nag, by the name it has for it, that CloudWatch leaves no choice about that wildcard. */
export function acknowledgeAlarmsOf(role: Role, what: string, alarms: readonly IAlarm[]): void {
  if (!areMetricAlarms(alarms)) {
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: `The function looks at ${what}, and CloudWatch tells of composite alarms only by a permission on *.`,
    });
    return;
  }
  const { partition, region, account } = Stack.of(role);
  const shown = (value: string, pseudo: string) => (Token.isUnresolved(value) ? `<${pseudo}>` : value);
  const place = [shown(region, 'AWS::Region'), shown(account, 'AWS::AccountId')].join(':');
  Validations.of(role).acknowledge({
    id: `AwsSolutions-IAM5[Resource::arn:${shown(partition, 'AWS::Partition')}:cloudwatch:${place}:alarm:*]`,
    reason: `The function looks at ${what}, and CloudWatch takes no narrower resource for that.`,
  });
}
