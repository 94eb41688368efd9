import type { References } from '../../../local/cloudformation';
import { AwsError } from '../../../local/kernel/aws-error';
import { deploy, evaluated, evaluationProblems, type Json, NO_REFERENCES, problemsOf, stack, thing } from './fixture';

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
      'cannot be resolved (ValidationError: a reference to a secret must be secret-id:SecretString:json-key:version-stage:version-id)',
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
