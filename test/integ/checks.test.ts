import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { LocalAws } from '../../local';
import { assemblyOf } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { CHECKS, check, type DeployedIntegration } from './checks';
import { IntegrationStack, OUTPUTS, type Outputs } from './stack';

const assembly = assemblyOf(app => void new IntegrationStack(app));

/** The integration stack in the embedded AWS, as the checks see it. */
async function deploy(): Promise<DeployedIntegration & { readonly aws: LocalAws }> {
  const deployed = await Deployed.assembly(assembly);
  const { aws, sns, sqs } = deployed;
  return {
    aws,
    sns,
    sqs,
    cloudWatch: new CloudWatchClient(aws.clientConfig()),
    outputs: Object.fromEntries(OUTPUTS.map(name => [name, aws.output(name)])) as Outputs,
    pass: async seconds => void (await aws.advance({ seconds })),
  };
}

async function run(deployed: DeployedIntegration) {
  const said: string[] = [];
  return { failures: await check(deployed, line => said.push(line)), said };
}

describe('the checks of a real account', () => {
  test('find nothing in the stack, deployed in the embedded AWS', async () => {
    const { failures, said } = await run(await deploy());
    expect(failures).toEqual([]);
    expect(said).toEqual(Object.keys(CHECKS).map(what => `ok      ${what}`));
  });

  test('find what a service does not do, and go on', async () => {
    const deployed = await deploy();
    deployed.aws.faults.set({ service: 'lambda', action: 'Invoke' });
    const { failures, said } = await run(deployed);
    expect(failures).toEqual([
      'what the function fails on is kept: the dead letter: not within 15 minutes',
      'each of the three alarms goes off: the alarms: not within 15 minutes',
      'and is heard through the encrypted topic: the news: not within 15 minutes',
    ]);
    expect(said).toContain('ok      what SNS cannot deliver is kept');
  });
});
