import type { PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import { ResourceTags, refuseByModel, type TagRules } from '../kernel/tags';
import { parsePolicy } from '../policy-document/policy';
import type { NamedPolicy } from './evaluate';

/** The document of a managed policy. */
export interface ManagedDocument {
  readonly document: PolicyDocument;
  /** What the document is complete about, if it is not whole: see `Incomplete`. */
  readonly services?: ReadonlySet<string> | undefined;
}

/** Stands for a policy whose document is not known. */
const UNKNOWN: ManagedDocument = { document: { Version: '2012-10-17', Statement: [] }, services: new Set() };

/** Looks up a managed policy, whose document may change. Returns undefined if it is not known. */
type FindManaged = () => ManagedDocument | undefined;

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
  private readonly attached = new Map<string, FindManaged>();
  private limit: { readonly arn: string; readonly find: FindManaged } | undefined;
  private named: { readonly policies: readonly NamedPolicy[]; readonly boundary: NamedPolicy | undefined } | undefined;

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
    return this.parsed().policies;
  }

  get boundary(): NamedPolicy | undefined {
    return this.parsed().boundary;
  }

  get boundaryArn(): string | undefined {
    return this.limit?.arn;
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

  attach(policyArn: string, find: FindManaged): void {
    this.attached.set(policyArn, find);
    this.policiesChanged();
  }

  /** Sets the permissions boundary, or removes it. */
  limitTo(arn: string | undefined, find: FindManaged): void {
    this.limit = arn === undefined ? undefined : { arn, find };
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

  private parsed(): NonNullable<Role['named']> {
    this.named ??= {
      policies: [
        ...[...this.inline].map(([name, document]) => this.nameOf('policy', name, { document })),
        ...[...this.attached].map(([arn, find]) => this.nameOf('policy', arn, find() ?? UNKNOWN)),
      ],
      boundary: this.limit && this.nameOf('permissions boundary', this.limit.arn, this.limit.find() ?? UNKNOWN),
    };
    return this.named;
  }

  private nameOf(what: string, policy: string, { document, services: knownOf }: ManagedDocument): NamedPolicy {
    return {
      name: `${what} ${policy} of role ${this.name}`,
      policy: parsePolicy(document, 'identity'),
      ...(knownOf && { incomplete: { arn: policy, knownOf } }),
    };
  }
}

/** The tags of roles. @see https://docs.aws.amazon.com/IAM/latest/UserGuide/id_tags.html */
export const ROLE_TAGS: TagRules = {
  restrictsCharacters: true,
  needsValues: true,
  refuse: refuseByModel(text => new AwsError('ValidationError', text)),
};
