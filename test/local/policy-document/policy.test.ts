import { policyProblems } from '../../../local/policy-document';
import type { PolicyKind } from '../../../local/policy-document/statement';
import { policy, QUEUE, type StatementJson } from '../iam/iam-fixture';

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
      'statement 1 Principal.Robot is not implemented by the embedded AWS',
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
    ['resource', { ...resource, Principal: { Service: [] } }, 'statement 1 Principal.Service must name somebody'],
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
    const document = { Version: '2020-01-01', Statements: [], Statement: [identity, 'x', { ...identity, Effect: 1 }] };
    expect(policyProblems(document, 'identity')).toEqual([
      'a policy has no element Statements',
      'Version must be 2012-10-17 or 2008-10-17, got "2020-01-01"',
      'statement 2 must be an object',
      'statement 3 Effect must be Allow or Deny, got 1',
    ]);
  });
});
