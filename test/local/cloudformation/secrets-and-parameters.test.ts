import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CfnDynamicReference, CfnDynamicReferenceService, CfnOutput, Fn, SecretValue, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StringListParameter, StringParameter } from 'aws-cdk-lib/aws-ssm';
import { AssemblyError, LocalAws } from '../../../local';
import { assemblyOf, assemblyOfStack } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

const READS_SECRET = `
  const { SecretsManagerClient, GetSecretValueCommand } = require('@aws-sdk/client-secrets-manager');
  exports.handler = async () => {
    const command = new GetSecretValueCommand({ SecretId: process.env.SECRET });
    return new SecretsManagerClient({}).send(command).then(({ SecretString }) => SecretString, error => error.message);
  };`;

async function invoke(world: Deployed, path: string): Promise<unknown> {
  const lambda = new LambdaClient({ ...world.aws.clientConfig(), maxAttempts: 1 });
  const answer = lambda.send(new InvokeCommand({ FunctionName: world.ref(path) }));
  await world.advance({ seconds: 10 });
  return JSON.parse(Buffer.from((await answer).Payload ?? []).toString());
}

describe('a stack with secrets and parameters', () => {
  it('lets its functions read a secret under its key as far as they are granted it', async () => {
    const world = await Deployed.stack(stack => {
      const encryptionKey = new Key(stack, 'Key');
      const secret = new Secret(stack, 'Secret', {
        encryptionKey,
        generateSecretString: {
          secretStringTemplate: '{"user":"admin"}',
          generateStringKey: 'password',
          passwordLength: 12,
        },
      });
      const environment = { SECRET: secret.secretArn };
      secret.grantRead(inlineFunction(stack, 'Granted', READS_SECRET, { environment }));
      inlineFunction(stack, 'Stranger', READS_SECRET, { environment });
    });
    const value = JSON.parse(String(await invoke(world, 'Granted')));
    expect(value).toEqual({ user: 'admin', password: expect.stringMatching(/^.{12}$/) });
    expect(await invoke(world, 'Stranger')).toMatch(
      /^User: arn:aws:sts::123456789012:assumed-role\/\S+ is not authorized to perform: secretsmanager:GetSecretValue/,
    );
  });

  it('resolves what its templates take from them', async () => {
    const assembly = assemblyOf(app => {
      const shared = new Stack(app, 'Shared');
      new StringParameter(shared, 'Name', { parameterName: '/app/name', stringValue: 'orders' });
      new StringListParameter(shared, 'Zones', { parameterName: '/app/zones', stringListValue: ['a', 'b'] });
      const secret = new Secret(shared, 'Secret', { secretName: 'db', generateSecretString: { passwordLength: 8 } });
      const test = new Stack(app, 'Test');
      test.addStackDependency(shared);
      new Queue(test, 'ByType', { queueName: StringParameter.valueForStringParameter(test, '/app/name') });
      const reference = new CfnDynamicReference(CfnDynamicReferenceService.SSM, '/app/name:1');
      new Queue(test, 'ByReference', { queueName: `${reference.toString()}-again` });
      const zones = StringListParameter.valueForTypedListParameter(test, '/app/zones');
      new CfnOutput(test, 'Zones', { value: Fn.join('+', zones) });
      inlineFunction(test, 'Function', 'exports.handler = async () => process.env.PASSWORD;', {
        environment: { PASSWORD: SecretValue.secretsManager('db').unsafeUnwrap() },
      });
      new CfnOutput(shared, 'SecretArn', { value: secret.secretArn });
    });
    const world = await Deployed.assembly(assembly);
    expect([world.name('ByType'), world.name('ByReference')]).toEqual(['orders', 'orders-again']);
    expect(world.aws.output('Zones')).toBe('a+b');
    const { secretsManager } = world.aws.services;
    const held = secretsManager.call('GetSecretValue', secretsManager.owner, { SecretId: 'db' }).SecretString;
    expect(await invoke(world, 'Function')).toBe(held);
  });

  it('does not deploy where a parameter is not there, and says which', async () => {
    const assembly = assemblyOfStack(stack => {
      new Queue(stack, 'Queue', { queueName: StringParameter.valueForStringParameter(stack, '/gone') });
    });
    const failure: unknown = await LocalAws.deploy(assembly).catch(error => error);
    expect(failure).toBeInstanceOf(AssemblyError);
    expect(String(failure)).toContain(
      'names "/gone" in SSM, which answers ParameterNotFound: Parameter /gone not found.',
    );
  });
});
