import { Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { CfnTopic, type ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { atSynthesis } from '../../shared/at-synthesis';
import { warn } from '../../shared/checks';

/** Warns at synthesis where no logging configuration of a topic of the app names the role made for it. */
export function warnOfUnusedLogging(scope: Construct, topic: ITopic, role: IRole): void {
  const resource = topic.node.defaultChild;
  // What a DurableTopic makes for itself, it uses as soon as it delivers.
  if (!(resource instanceof CfnTopic) || scope.node.scope === topic) return;
  atSynthesis(scope, () => {
    const configured = JSON.stringify(Stack.of(resource).resolve(resource.deliveryStatusLogging)) ?? '';
    const named = JSON.stringify(Stack.of(resource).resolve(role.roleArn));
    if (configured.includes(named)) return;
    const message = `SNS logs nothing with this: pass its role to addLoggingConfig of ${topic.node.path}, a protocol at a time.`;
    warn(scope, 'logging-unused', message);
  });
}
