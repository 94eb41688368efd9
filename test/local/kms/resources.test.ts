import { kmsResourceTypes } from '../../../local/kms';
import { type Deployed, deploy, type Json, problemsOf, stack } from '../cloudformation/fixture';
import { ADMIN, policy, ROOT } from '../iam/iam-fixture';
import { KmsFixture } from './kms-fixture';

const OWN = policy({ Effect: 'Allow', Principal: { AWS: ROOT }, Action: 'kms:*', Resource: '*' });
const key = (Properties: Json): Json => ({ Type: 'AWS::KMS::Key', Properties });
const alias = (Properties: Json): Json => ({ Type: 'AWS::KMS::Alias', Properties });

function deployWith(fixture: KmsFixture, Resources: Json): Promise<Deployed> {
  return deploy([stack({ Resources })], { types: kmsResourceTypes(fixture.kms) });
}

const problems = (Resources: Json): Promise<readonly string[]> =>
  problemsOf(() => deployWith(new KmsFixture(), Resources));

describe('AWS::KMS::Key and AWS::KMS::Alias', () => {
  it('make a key that is there under its alias', async () => {
    const fixture = new KmsFixture();
    const { stacks } = await deployWith(fixture, {
      Name: alias({ AliasName: 'alias/orders', TargetKeyId: { 'Fn::GetAtt': ['It', 'Arn'] } }),
      It: key({
        KeyPolicy: OWN,
        EnableKeyRotation: true,
        KeySpec: 'SYMMETRIC_DEFAULT',
        MultiRegion: false,
        Enabled: 'false',
      }),
    });
    const { keyId, arn, state } = fixture.kms.describeKey('alias/orders');
    expect(stacks[0]?.resources.get('It')).toMatchObject({ ref: keyId, attributes: { Arn: arn, KeyId: keyId } });
    expect(stacks[0]?.resources.get('Name')?.ref).toBe('alias/orders');
    expect(state).toBe('Disabled');
    fixture.kms.enableKey(keyId);
    expect(fixture.throughQueue('alias/orders', ADMIN).send.allowed).toBe(true);
  });

  it.each<[Json, string]>([
    [key({ KeyPolicy: OWN, KeySpec: 'RSA_2048' }), 'KeySpec must be SYMMETRIC_DEFAULT here, got "RSA_2048"'],
    [key({ KeyPolicy: OWN, KeyUsage: 'SIGN_VERIFY' }), 'KeyUsage must be ENCRYPT_DECRYPT here, got "SIGN_VERIFY"'],
    [key({ KeyPolicy: OWN, MultiRegion: true }), 'MultiRegion must be false here, got "true"'],
    [key({ KeyPolicy: OWN, Origin: 'EXTERNAL' }), 'Origin must be AWS_KMS here, got "EXTERNAL"'],
    [key({ KeyPolicy: OWN, Colour: 'red' }), 'Colour is not implemented by the embedded AWS, got "red"'],
    [
      key({ KeyPolicy: policy({}) }),
      'KeyPolicy cannot be evaluated: statement 1 Effect must be Allow or Deny, got undefined',
    ],
    [
      key({ KeyPolicy: policy() }),
      'MalformedPolicyDocumentException: The new key policy will not allow you to update the key policy in the future.',
    ],
    [alias({ AliasName: 'alias/a' }), 'TargetKeyId is required'],
    [alias({ AliasName: 'alias/a', TargetKeyId: 'gone' }), "NotFoundException: Invalid keyId 'gone'"],
  ])('%j is a problem', async (resource, problem) => {
    expect(await problems({ It: resource })).toContain(`App: It (${String(resource['Type'])}): ${problem}`);
  });
});
