import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CfnDynamicReference, CfnDynamicReferenceService, CfnOutput, Fn, SecretValue, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StringListParameter, StringParameter } from 'aws-cdk-lib/aws-ssm';
import { AssemblyError, LocalAws } from '../../../local';
import type { References } from '../../../local/cloudformation';
import { AwsError } from '../../../local/kernel/aws-error';
import { assemblyOf, assemblyOfStack } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import {
  deploy,
  evaluated,
  evaluationProblems,
  type Json,
  NEVER_CHANGED,
  NO_REFERENCES,
  problemsOf,
  stack,
  thing,
} from './fixture';

const ARN = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:db-AbCdEf';

/** Plain parameters by name, and one secret that says what it was asked for. */
const HELD: References = {
  parameter: name => {
    const held: Record<string, string> = {
      '/db/host': 'db.example.com',
      '/db/host:2': 'older',
      '/zones': 'a,b',
      Stage: 'prod',
    };
    const value = held[name];
    if (value === undefined) throw new AwsError('ParameterNotFound', `Parameter ${name} not found.`);
    return value;
  },
  secret: ({ secretId, versionStage = '', versionId = '' }) =>
    JSON.stringify({ user: 'admin', port: 5432, asked: [secretId, versionStage, versionId].join('|') }),
};

const options = { references: HELD };

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html */
describe('a dynamic reference', () => {
  it.each<[unknown, unknown]>([
    ['{{resolve:ssm:/db/host}}', 'db.example.com'],
    ['{{resolve:ssm:/db/host:2}}', 'older'],
    [
      'https://{{resolve:ssm:/db/host}}:{{resolve:secretsmanager:db:SecretString:port}}/',
      'https://db.example.com:5432/',
    ],
    ['{{resolve:secretsmanager:db:SecretString:user::}}', 'admin'],
    ['{{resolve:secretsmanager:db:SecretString:asked:AWSPREVIOUS}}', 'db|AWSPREVIOUS|'],
    ['{{resolve:secretsmanager:db:SecretString:asked::v1}}', 'db||v1'],
    [{ 'Fn::Join': ['', ['{{resolve:secretsmanager:', ARN, ':SecretString:asked::}}']] }, `${ARN}||`],
    ['{{resolve:secretsmanager:db}}', HELD.secret({ secretId: 'db' })],
    [{ Deep: [{ er: '{{resolve:ssm:Stage}}' }] }, { Deep: [{ er: 'prod' }] }],
  ])('%j is %j', async (value, expected) => {
    expect(await evaluated(value, {}, options)).toEqual(expected);
  });

  it('finds what a resource before it has made', async () => {
    const value = { 'Fn::Join': ['', ['{{resolve:ssm:', { Ref: 'Other' }, '}}']] };
    const references = { ...NO_REFERENCES, parameter: (name: string) => `value of ${name}` };
    expect(await evaluated(value, {}, { references })).toBe('value of other');
  });

  it.each<[string, string]>([
    ['{{resolve:ssm:/gone}}', 'cannot be resolved (ParameterNotFound: Parameter /gone not found.)'],
    [
      '{{resolve:ssm-secure:/db/password:1}}',
      'cannot be resolved (ValidationError: SSM Secure reference is not supported in this property)',
    ],
    [
      '{{resolve:secretsmanager:db:SecretString:gone}}',
      'cannot be resolved (ValidationError: Could not find a value associated with JSONKey in SecretString)',
    ],
    [
      '{{resolve:secretsmanager:db:SecretBinary:user}}',
      'cannot be resolved (ValidationError: a reference to a secret must have the form secret-id:SecretString:json-key:version-stage:version-id)',
    ],
    ['{{resolve:vault:db}}', 'must name one of ssm, ssm-secure, secretsmanager'],
  ])('%s is a problem', async (value, problem) => {
    expect(await evaluationProblems(value, {}, options)).toEqual([
      `App: It (Test::Thing): Properties.Value.x: ${value} ${problem}`,
    ]);
  });

  it('to a secret whose text is no JSON has no member', async () => {
    const references = { ...HELD, secret: () => 'plain' };
    expect(await evaluationProblems('{{resolve:secretsmanager:db:SecretString:k}}', {}, { references })).toEqual([
      expect.stringContaining('(ValidationError: Could not parse SecretString JSON)'),
    ]);
  });
});

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-supplied-parameter-types.html */
describe('a parameter that SSM holds', () => {
  const declared = (Default: string, of: string): Json => ({
    Parameters: { P: { Type: `AWS::SSM::Parameter::Value<${of}>`, Default } },
  });

  it('is what stands there, a list by its commas', async () => {
    expect(await evaluated({ Ref: 'P' }, declared('/db/host', 'String'), options)).toBe('db.example.com');
    expect(await evaluated({ Ref: 'P' }, declared('/zones', 'List<String>'), options)).toEqual(['a', 'b']);
  });

  it('decides conditions, and what hangs on them', async () => {
    const template = {
      ...declared('Stage', 'String'),
      Conditions: {
        Prod: { 'Fn::Equals': [{ Ref: 'P' }, 'prod'] },
        Other: { 'Fn::Not': [{ Condition: 'Prod' }] },
        Either: { 'Fn::Or': [{ Condition: 'Prod' }, { Condition: 'Other' }] },
        Both: { 'Fn::And': [{ Condition: 'Prod' }, { Condition: 'Other' }] },
      },
      Resources: {
        OnlyProd: thing(
          { x: { 'Fn::If': ['Both', 'both', { 'Fn::If': ['Either', 'either', 'none'] }] } },
          { Condition: 'Prod' },
        ),
        OnlyOther: { Type: 'AWS::Not::Here', Condition: 'Other' },
        Uses: thing({ x: { 'Fn::If': ['Prod', { Ref: 'OnlyProd' }, { Ref: 'OnlyOther' }] } }),
      },
      Outputs: { O: { Value: 'x', Condition: 'Other' }, P: { Value: { Ref: 'OnlyProd' }, Condition: 'Prod' } },
    };
    const { creations, stacks } = await deploy([stack(template)], options);
    expect(creations.map(({ logicalId }) => logicalId)).toEqual(['OnlyProd', 'Uses']);
    expect(creations[0]?.value).toEqual({ x: 'either' });
    expect(Object.keys(stacks[0]?.outputs ?? {})).toEqual(['P']);
  });

  it('may have been put there by a stack before', async () => {
    const put = new Map<string, string>();
    const references: References = {
      ...NO_REFERENCES,
      parameter: name => put.get(name) ?? NO_REFERENCES.parameter(name),
    };
    const putting = {
      ...NEVER_CHANGED,
      type: 'Test::Put',
      create: () => {
        put.set('made', 'by a stack before');
        return { ref: 'made', attributes: {} };
      },
    };
    const stacks = [
      stack({ Resources: { Put: { Type: 'Test::Put' } } }, { name: 'First' }),
      stack(
        { ...declared('made', 'String'), Resources: {}, Outputs: { O: { Value: { Ref: 'P' } } } },
        { name: 'Second' },
      ),
    ];
    const { stacks: deployed } = await deploy(stacks, { references, types: [putting] });
    expect(deployed[1]?.outputs).toEqual({ O: 'by a stack before' });
  });

  it('is a problem where it is not', async () => {
    const problems = await problemsOf(() => evaluated({ Ref: 'P' }, declared('/gone', 'String'), options));
    expect(problems).toEqual([
      'App: It (Test::Thing): Properties.Value.x: Ref cannot be evaluated: parameter P names "/gone" in SSM, which answers ParameterNotFound: Parameter /gone not found.',
    ]);
  });
});

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
      test.node.addDependency(shared);
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
