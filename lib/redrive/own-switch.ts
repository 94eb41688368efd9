import { Names, Stack } from 'aws-cdk-lib';
import { type IStringParameter, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';

/** The same in every copy of this library: an app may hold it twice. */
const OWN_SWITCH: unique symbol = Symbol.for('dead-letter-office.OwnSwitch');

/**
 * Names the parameter that switches a redrive, which no template makes: who first switches it does. CloudFormation writes the
 * value of a parameter of its own anew with whatever else it changes of it, be it a tag of the stack, and so would set `off` back
 * to `on`.
 * @see https://github.com/aws/aws-cdk/issues/25949
 */
export function ownKillSwitch(scope: Construct): IStringParameter {
  const parameterName = `/dead-letter-office/${Stack.of(scope).stackName}/${Names.nodeUniqueId(scope.node)}`;
  const attributes = { parameterName, simpleName: false, forceDynamicReference: true };
  const parameter = StringParameter.fromStringParameterAttributes(scope, 'Switch', attributes);
  Object.defineProperty(parameter, OWN_SWITCH, { value: true });
  return parameter;
}

/** Whether it is a redrive's own, of this or of another: it counts as `on` until somebody makes it. */
export function isOwnKillSwitch(parameter: IStringParameter): boolean {
  return OWN_SWITCH in parameter;
}
