import type { PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import { ResourceTags, refuseByModel, type TagRules } from '../kernel/tags';
import { parsePolicy } from '../policy-document';
import type { NamedPolicy } from './evaluate';

interface RoleDetails {
  /** Begins and ends with a slash. */
  readonly path: string;
  readonly description: string | undefined;
  readonly createdAtMs: number;
  /** The longest session that STS may issue for the role. */
  readonly maxSessionSeconds: number;
}

export class Role {
  readonly tags = new ResourceTags(ROLE_TAGS);
  private readonly inline = new Map<string, PolicyDocument>();
  private readonly attached = new Map<string, () => PolicyDocument>();
  private named: readonly NamedPolicy[] | undefined;

  constructor(
    readonly name: string,
    readonly arn: string,
    /** `AROA…`, which no other role ever has. */
    readonly id: string,
    public trustPolicy: PolicyDocument,
    public details: RoleDetails,
  ) {}

  /** Inline and managed policies, parsed for the evaluation. */
  get policies(): readonly NamedPolicy[] {
    this.named ??= [
      ...[...this.inline].map(([name, document]) => this.nameOf(name, document)),
      ...[...this.attached].map(([arn, document]) => this.nameOf(arn, document())),
    ];
    return this.named;
  }

  get inlinePolicies(): ReadonlyMap<string, PolicyDocument> {
    return this.inline;
  }

  get attachedPolicyArns(): readonly string[] {
    return [...this.attached.keys()];
  }

  putPolicy(name: string, document: PolicyDocument): void {
    this.inline.set(name, document);
    this.policiesChanged();
  }

  /** Returns false when there was no such policy. */
  deletePolicy(name: string): boolean {
    this.policiesChanged();
    return this.inline.delete(name);
  }

  attach(policyArn: string, document: () => PolicyDocument): void {
    this.attached.set(policyArn, document);
    this.policiesChanged();
  }

  /** Returns false when it was not attached. */
  detach(policyArn: string): boolean {
    this.policiesChanged();
    return this.attached.delete(policyArn);
  }

  /** Makes the next decision parse the policies again. */
  policiesChanged(): void {
    this.named = undefined;
  }

  private nameOf(policy: string, document: PolicyDocument): NamedPolicy {
    return { name: `policy ${policy} of role ${this.name}`, policy: parsePolicy(document, 'identity') };
  }
}

/** The tags of roles. @see https://docs.aws.amazon.com/IAM/latest/UserGuide/id_tags.html */
export const ROLE_TAGS: TagRules = {
  restrictsCharacters: true,
  needsValues: true,
  refuse: refuseByModel(text => new AwsError('ValidationError', text)),
};
