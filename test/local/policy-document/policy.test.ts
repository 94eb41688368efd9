import type { PolicyDocument } from '../../../local/kernel/access';
import type { Caller } from '../../../local/kernel/caller';
import { parsePolicy } from '../../../local/policy-document/policy';
import type { PolicyKind } from '../../../local/policy-document/statement';
import {
  ACCOUNT,
  ADMIN,
  IamFixture,
  policy,
  QUEUE,
  SNS,
  type StatementJson,
  TOPIC,
  withContext,
} from '../iam/iam-fixture';

function policyProblems(document: PolicyDocument, kind: PolicyKind): readonly string[] {
  const { problems, notSimulated } = parsePolicy(document, kind);
  return [...problems, ...notSimulated];
}

const identity = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE };
const resource = { ...identity, Principal: '*' };
const trust = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'sns.amazonaws.com' } };

describe('a policy', () => {
  it.each<[PolicyKind, StatementJson]>([
    ['identity', identity],
    ['identity', { Effect: 'Deny', NotAction: ['sqs:*', 'sns:*'], NotResource: 'arn:aws:sqs:*:*:*', Sid: 'OnlyHere' }],
    ['resource', resource],
    ['resource', { ...identity, NotPrincipal: { AWS: ['123456789012'] } }],
    ['resource', { ...resource, Principal: { AWS: 'arn:aws:iam::123456789012:role/a', CanonicalUser: 'x' } }],
    ['trust', trust],
  ])('of kind %s takes %j', (kind, statement) => {
    expect(policyProblems(policy(statement), kind)).toEqual([]);
  });

  it('may have a single statement outside a list', () => {
    expect(policyProblems({ Version: '2012-10-17', Statement: identity }, 'identity')).toEqual([]);
  });

  it.each<[PolicyKind, StatementJson, string]>([
    ['identity', { ...identity, Effect: 'allow' }, 'statement 1 Effect must be Allow or Deny, got "allow"'],
    ['identity', { ...identity, NotAction: 'sns:*' }, 'statement 1 must have either Action or NotAction'],
    ['identity', { Effect: 'Allow', Resource: '*' }, 'statement 1 must have either Action or NotAction'],
    ['identity', { Effect: 'Allow', Action: 'sqs:*' }, 'statement 1 must have either Resource or NotResource'],
    ['identity', resource, 'statement 1 must not have Principal in an identity policy'],
    ['identity', { ...identity, Actions: [] }, 'statement 1 has no element Actions'],
    [
      'identity',
      { ...identity, Action: 'SendMessage' },
      'statement 1 Action must be "service:Action" or "*", got "SendMessage"',
    ],
    ['identity', { ...identity, Action: [1] }, 'statement 1 Action must be a string, or a list of strings'],
    [
      'identity',
      { ...identity, Resource: `\${aws:username}` },
      'statement 1 Resource: the policy variable aws:username is not implemented by the embedded AWS',
    ],
    ['resource', identity, 'statement 1 must have either Principal or NotPrincipal'],
    ['resource', { ...resource, Principal: 'everyone' }, 'statement 1 Principal must be "*" or an object'],
    [
      'resource',
      { ...resource, Principal: { Robot: 'x' } },
      'statement 1 Principal.Robot is none of AWS, Service, Federated, CanonicalUser',
    ],
    [
      'resource',
      { ...resource, Principal: { AWS: 'arn:aws:iam::123456789012:role/*' } },
      'statement 1 Principal.AWS cannot hold wildcards within an ARN, got "arn:aws:iam::123456789012:role/*"',
    ],
    [
      'resource',
      { ...resource, Principal: { AWS: 'AROAEXAMPLE' } },
      'statement 1 Principal.AWS must be "*", an account, or the ARN of a role or user, got "AROAEXAMPLE"',
    ],
    [
      'resource',
      { ...resource, Principal: { Service: [] } },
      'statement 1 Principal.Service must name at least one principal',
    ],
    [
      'resource',
      { ...resource, Principal: { Service: [{}] } },
      'statement 1 Principal.Service must be a string, or a list of strings',
    ],
    ['trust', { ...trust, Resource: '*' }, 'statement 1 must not have Resource in a trust policy'],
  ])('of kind %s does not take %j', (kind, statement, problem) => {
    expect(policyProblems(policy(statement), kind)).toEqual([problem]);
  });

  it('reports the problems of all its statements at once', () => {
    const document = {
      Version: '2020-01-01',
      Statements: [],
      Statement: [identity, 'x', { ...identity, Effect: 1 }],
    };
    expect(policyProblems(document, 'identity')).toEqual([
      'a policy has no element Statements',
      'Version must be 2012-10-17 or 2008-10-17, got "2020-01-01"',
      'statement 2 must be an object',
      'statement 3 Effect must be Allow or Deny, got 1',
    ]);
  });
});

/** Does a queue policy under this condition let SNS, calling for the topic `rental`, send? */
function holds(condition: StatementJson, context: Caller['context'] = {}): boolean {
  const statement = {
    Effect: 'Allow',
    Principal: '*',
    Action: 'sqs:SendMessage',
    Resource: QUEUE,
    Condition: condition,
  };
  return new IamFixture().maySend(withContext(SNS, context), statement).allowed;
}

describe('condition operators', () => {
  it.each([
    ['StringEquals', { 'aws:SourceAccount': ACCOUNT }, true],
    ['StringEquals', { 'aws:SourceAccount': ['1', ACCOUNT] }, true],
    ['StringEquals', { 'aws:SourceArn': TOPIC.toUpperCase() }, false],
    ['StringEquals', { 'aws:SourceArn': '*' }, false],
    ['StringNotEquals', { 'aws:SourceAccount': ACCOUNT }, false],
    ['StringNotEquals', { 'aws:SourceAccount': ['1', '2'] }, true],
    ['StringNotEquals', { 'aws:SourceAccount': ['1', ACCOUNT] }, false],
    ['StringEqualsIgnoreCase', { 'aws:SourceArn': TOPIC.toUpperCase() }, true],
    ['StringNotEqualsIgnoreCase', { 'aws:SourceArn': TOPIC.toUpperCase() }, false],
    ['StringLike', { 'aws:SourceArn': '*:rent?l' }, true],
    ['StringNotLike', { 'aws:SourceArn': '*:rent?l' }, false],
    ['ArnEquals', { 'aws:SourceArn': TOPIC }, true],
    ['ArnLike', { 'aws:SourceArn': `arn:aws:sns:*:${ACCOUNT}:*` }, true],
    ['ArnLike', { 'aws:SourceArn': 'arn:aws:sns:*:*' }, false],
    ['ArnNotLike', { 'aws:SourceArn': `arn:aws:sns:*:${ACCOUNT}:*` }, false],
    ['ArnNotEquals', { 'aws:SourceArn': 'arn:aws:sns:us-east-1:1:other' }, true],
    ['Bool', { 'aws:SecureTransport': 'true' }, true],
    ['Bool', { 'aws:SecureTransport': true }, true],
    ['Bool', { 'aws:SecureTransport': 'FALSE' }, false],
    ['Bool', { 'aws:PrincipalIsAWSService': 'true' }, true],
    ['NumericEquals', { 'aws:EpochTime': 1_767_268_800 }, true],
    ['NumericNotEquals', { 'aws:EpochTime': 1_767_268_800 }, false],
    ['NumericLessThan', { 'aws:EpochTime': '1767268801' }, true],
    ['NumericGreaterThanEquals', { 'aws:EpochTime': '1767268801' }, false],
    ['DateGreaterThan', { 'aws:CurrentTime': '2026-01-01T11:59:59Z' }, true],
    ['DateLessThan', { 'aws:CurrentTime': '2026-01-01T12:00:00Z' }, false],
    ['DateLessThanEquals', { 'aws:CurrentTime': '1767268800' }, true],
    ['DateEquals', { 'aws:CurrentTime': '2026-01-01T12:00:00Z' }, true],
    ['DateNotEquals', { 'aws:CurrentTime': '2026-01-01T12:00:00Z' }, false],
    ['DateEquals', { 'aws:CurrentTime': '2026-01-01T12:00:00' }, true],
    ['DateEquals', { 'aws:CurrentTime': '2026-01-01T13:30:00+01:30' }, true],
    ['DateGreaterThan', { 'aws:CurrentTime': '2026-01-01' }, true],
    ['Null', { 'aws:SourceArn': 'false' }, true],
    ['Null', { 'aws:SourceArn': 'true' }, false],
    ['Null', { 'aws:PrincipalOrgID': 'true' }, true],
    ['ForAnyValue:StringLike', { 'aws:SourceArn': '*rental' }, true],
    ['ForAllValues:StringEquals', { 'aws:SourceAccount': ['1'] }, false],
  ])('%s %j: %s', (operator, comparison, expected) => {
    expect(holds({ [operator]: comparison })).toBe(expected);
  });

  it.each([
    ['StringEquals', false],
    ['StringLike', false],
    ['ArnLike', false],
    ['StringNotEquals', true],
    ['StringNotLike', true],
    ['StringEqualsIfExists', true],
    ['StringNotEqualsIfExists', true],
    ['ForAllValues:StringEquals', true],
    ['ForAnyValue:StringEquals', false],
    ['ForAnyValue:StringNotEquals', false],
  ])('%s on a key the request lacks: %s', (operator, expected) => {
    expect(holds({ [operator]: { 'aws:PrincipalOrgID': 'o-1234567890' } })).toBe(expected);
  });

  it.each([
    ['203.0.113.0/24', '203.0.113.9', true],
    ['203.0.113.0/24', '203.0.114.9', false],
    ['203.0.113.9', '203.0.113.9', true],
    ['2001:db8::/32', '2001:db8::1', true],
    ['2001:db8::/32', '203.0.113.9', false],
  ])('IpAddress %s against %s: %s', (range, address, expected) => {
    // aws:SourceIp itself is rejected, because callers here have no IP address. The operator works with any key.
    expect(holds({ IpAddress: { 'sns:Endpoint': range } }, { 'sns:Endpoint': address })).toBe(expected);
    expect(holds({ NotIpAddress: { 'sns:Endpoint': range } }, { 'sns:Endpoint': address })).toBe(!expected);
  });

  it('see the log group for which CloudWatch Logs uses a key', () => {
    const key = 'kms:EncryptionContext:aws:logs:arn';
    const condition = { ArnLike: { [key]: `arn:aws:logs:us-east-1:${ACCOUNT}:log-group:sns/*` } };
    expect(holds(condition, { [key]: `arn:aws:logs:us-east-1:${ACCOUNT}:log-group:sns/rental` })).toBe(true);
    expect(holds(condition, { [key]: `arn:aws:logs:us-east-1:${ACCOUNT}:log-group:rental` })).toBe(false);
  });

  it('must all hold, and all keys of each', () => {
    const both = { ArnEquals: { 'aws:SourceArn': TOPIC }, StringEquals: { 'aws:SourceAccount': ACCOUNT } };
    expect(holds(both)).toBe(true);
    expect(holds({ ...both, StringEquals: { 'aws:SourceAccount': '1' } })).toBe(false);
    expect(holds({ StringEquals: { 'aws:SourceAccount': ACCOUNT, 'aws:SourceArn': 'x' } })).toBe(false);
  });

  /**
   * "ForAllValues: This qualifier tests whether the value of every member of the request context matches at least one
   * value of the condition context key in the policy. ForAnyValue: at least one member."
   * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
   */
  it.each([
    ['ForAnyValue:StringEquals', 'alias/a', ['alias/a', 'alias/b'], true],
    ['ForAnyValue:StringEquals', 'alias/c', ['alias/a', 'alias/b'], false],
    ['ForAnyValue:StringNotEquals', 'alias/a', ['alias/a', 'alias/b'], true],
    ['ForAnyValue:StringNotEquals', 'alias/a', ['alias/a'], false],
    ['ForAllValues:StringLike', 'alias/*', ['alias/a', 'alias/b'], true],
    ['ForAllValues:StringEquals', 'alias/a', ['alias/a', 'alias/b'], false],
    ['ForAllValues:StringNotEquals', 'alias/c', ['alias/a', 'alias/b'], true],
    ['ForAllValues:StringEquals', 'alias/a', undefined, true],
    ['ForAnyValue:StringEquals', 'alias/a', undefined, false],
    // **Assumption IAM-10**
    ['StringEquals', 'alias/b', ['alias/a', 'alias/b'], true],
    ['Null', 'false', ['alias/a', 'alias/b'], true],
  ])('%s %s of a key with the values %j: %s', (operator, wanted, values, expected) => {
    const context: Caller['context'] = values === undefined ? {} : { 'kms:ResourceAliases': values };
    expect(holds({ [operator]: { 'kms:ResourceAliases': wanted } }, context)).toBe(expected);
    expect(holds({ StringLike: { 'aws:SourceArn': `\${kms:ResourceAliases}` } }, context)).toBe(false);
  });

  it('take condition keys in any case, as AWS does', () => {
    expect(holds({ StringEquals: { 'AWS:sourceaccount': ACCOUNT } })).toBe(true);
  });
});

describe('policy variables', () => {
  const own = { StringEquals: { 'aws:SourceAccount': `\${aws:ResourceAccount}` } };

  it('are filled in from the request', () => {
    expect(holds(own)).toBe(true);
    expect(holds(own, { 'aws:SourceAccount': '999999999999' })).toBe(false);
  });

  it('match nothing when the request lacks them, unless they have a default', () => {
    const arn = (variable: string) => ({ StringLike: { 'aws:SourceArn': `*:${variable}` } });
    expect(holds(arn(`\${sns:Protocol}`))).toBe(false);
    expect(holds(arn(`\${sns:Protocol, 'rental'}`))).toBe(true);
  });

  it('stand for their value literally, stars included', () => {
    const condition = { StringLike: { 'aws:SourceArn': `\${sns:Protocol}` } };
    expect(holds(condition, { 'sns:Protocol': '*' })).toBe(false);
    expect(holds(condition, { 'sns:Protocol': TOPIC })).toBe(true);
    expect(holds({ StringLike: { 'sns:Protocol': `a\${*}*` } }, { 'sns:Protocol': 'a*b' })).toBe(true);
    expect(holds({ StringLike: { 'sns:Protocol': `a\${*}*` } }, { 'sns:Protocol': 'aab' })).toBe(false);
  });

  it('are plain text in policies of version 2008-10-17', () => {
    const statement = { Effect: 'Allow', Principal: '*', Action: 'sqs:*', Resource: '*', Condition: own };
    const decide = (Version: string) =>
      new IamFixture().iam.decide({
        caller: SNS,
        action: 'sqs:SendMessage',
        resource: QUEUE,
        resourcePolicy: { Version, Statement: [statement] },
      }).allowed;
    expect(decide('2012-10-17')).toBe(true);
    expect(decide('2008-10-17')).toBe(false);
  });

  it('work in the Resource of an identity policy', () => {
    const fixture = new IamFixture();
    const Resource = `arn:aws:sqs:*:\${aws:PrincipalAccount}:*`;
    expect(fixture.maySend(fixture.role([{ Effect: 'Allow', Action: 'sqs:*', Resource }])).allowed).toBe(true);
  });
});

describe('what cannot be evaluated', () => {
  const statement = { Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: '*' };

  it.each([
    [{ StringEquals: { 'aws:PrincipalTag/team': 'x' } }, 'the condition key aws:PrincipalTag/team is not implemented'],
    [
      { StringEquals: { 'kms:EncryptionContext:aws:s3:arn': 'x' } },
      'kms:EncryptionContext:aws:s3:arn is not implemented',
    ],
    [{ IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }, 'the condition key aws:SourceIp is not implemented'],
    [{ StringEquals: { 'aws:SourceArn': `\${aws:username}` } }, 'the condition key aws:username is not implemented'],
  ])('%j is not met in an Allow and met in a Deny; requests of services have no such key', (Condition, problem) => {
    const document = policy({ ...statement, Condition });
    expect(policyProblems(document, 'resource')).toEqual([expect.stringContaining(problem)]);
    const iam = new IamFixture();
    expect(iam.maySend(SNS, { ...statement, Condition }).allowed).toBe(false);
    expect(iam.maySend(SNS, statement, { ...statement, Effect: 'Deny', Condition }).allowed).toBe(true);
    const role = iam.role([]);
    const refused = iam.maySend(role, { ...statement, Condition });
    expect(refused).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/condition key .* is not simulated/),
    });
    const denied = iam.maySend(role, statement, { ...statement, Effect: 'Deny', Condition });
    expect(denied.reason).toContain('with conditions that are not simulated, of the policy');
  });

  it('a key about the resource is unknown in requests of services too', () => {
    const Condition = { StringEquals: { 'aws:ResourceTag/team': 'x' } };
    const denied = new IamFixture().maySend(SNS, statement, { ...statement, Effect: 'Deny', Condition });
    expect(denied.allowed).toBe(false);
  });

  it.each<[StatementJson, StatementJson]>([
    [{ Effect: 'Deny', Resource: `\${aws:username}` }, statement],
    [{ Effect: 'Allow', NotResource: `\${aws:username}` }, {}],
  ])('a resource that is not simulated allows nothing: %j', (uncertain, other) => {
    const { Resource: _, ...others } = statement;
    const statements = [{ ...others, ...uncertain }, ...(other['Effect'] === undefined ? [] : [other])];
    const iam = new IamFixture();
    expect(iam.maySend(iam.role([]), ...statements).allowed).toBe(false);
  });

  it.each([
    [{ StringEqual: { 'aws:SourceArn': 'x' } }, 'there is no condition operator StringEqual'],
    [{ NumericEquals: { 'aws:EpochTime': 'soon' } }, 'must be a number, got "soon"'],
    [{ DateLessThan: { 'aws:CurrentTime': 'soon' } }, 'must be a date, got "soon"'],
    [{ DateLessThan: { 'aws:CurrentTime': 'Jan 1 2026' } }, 'must be a date, got "Jan 1 2026"'],
    [{ DateLessThan: { 'aws:CurrentTime': '2026-02-30' } }, 'must be a date, got "2026-02-30"'],
    [{ Bool: { 'aws:SecureTransport': 'yes' } }, 'must be true or false, got "yes"'],
    [{ IpAddress: { 'sns:Endpoint': '10.0.0.0/33' } }, 'must be an IP address or a CIDR range'],
    [{ Null: { 'aws:SourceArn': 'maybe' } }, 'must be true or false'],
    [{ StringEquals: { 'aws:SourceArn': [] } }, 'must be a string, or a list of strings'],
    [{ StringEquals: 'x' }, 'Condition.StringEquals must be an object'],
    ['x', 'Condition must be an object'],
  ])('%j is a problem, and refuses even an administrator', (Condition, problem) => {
    const document = policy({ ...statement, Condition });
    expect(policyProblems(document, 'resource')).toEqual([expect.stringContaining(problem)]);
    const decision = new IamFixture().maySend(ADMIN, { ...statement, Condition });
    expect(decision.allowed).toBe(false);
    expect(decision.reason).toContain(`the policy of ${QUEUE} cannot be evaluated: statement 1`);
    expect(decision.reason).toContain(problem);
  });
});
