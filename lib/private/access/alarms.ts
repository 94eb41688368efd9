import { ArnFormat, Stack, Token, Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

/** Of alarms by name CloudWatch still asks for a permission on all those of the Region: its refusals say `alarm:*`. */
export function alarmsStatement(scope: IConstruct, actions: readonly string[]): PolicyStatement {
  const everyAlarm = Stack.of(scope).formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return new PolicyStatement({ actions: [...actions], resources: [everyAlarm] });
}

/** Says to cdk-nag, by the name it has for it, that CloudWatch leaves no choice about that wildcard. */
export function acknowledgeAlarmsOf(role: Role, what: string): void {
  const { partition, region, account } = Stack.of(role);
  const shown = (value: string, pseudo: string) => (Token.isUnresolved(value) ? `<${pseudo}>` : value);
  const place = [shown(region, 'AWS::Region'), shown(account, 'AWS::AccountId')].join(':');
  Validations.of(role).acknowledge({
    id: `AwsSolutions-IAM5[Resource::arn:${shown(partition, 'AWS::Partition')}:cloudwatch:${place}:alarm:*]`,
    reason: `The function looks at ${what}, and CloudWatch takes no narrower resource for that.`,
  });
}
