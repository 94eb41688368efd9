import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { readRedriveSettings } from '../../policy/redrive/redrive-settings';
import type { Deployed } from './deployed';

/** The name of the parameter that switches a redrive, from its function's settings. The parameter does not exist until it is set. */
export async function switchOf(deployed: Deployed, redrive: string): Promise<string> {
  const lambda = new LambdaClient(deployed.aws.clientConfig());
  const FunctionName = deployed.ref(`${redrive}/Function`);
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const reading = readRedriveSettings(Environment?.Variables?.['REDRIVE_SETTINGS']);
  if (reading.kind === 'problems') throw new Error(JSON.stringify(reading.problems));
  return reading.settings.switchParameter;
}

/** Switches a redrive as an operator does. */
export async function turnSwitch(deployed: Deployed, redrive: string, Value: string): Promise<void> {
  const ssm = new SSMClient(deployed.aws.clientConfig());
  const Name = await switchOf(deployed, redrive);
  await ssm.send(new PutParameterCommand({ Name, Type: 'String', Value, Overwrite: true }));
}
