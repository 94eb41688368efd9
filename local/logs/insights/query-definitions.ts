import type { QueryDefinition } from '@aws-sdk/client-cloudwatch-logs';
import { limitExceeded, resourceMissing } from '../errors';

const MAX_DEFINITIONS = 1000;

/** A query that is kept to be asked again. */
export type KeptQuery = Pick<QueryDefinition, 'logGroupNames' | 'queryLanguage'> & {
  readonly queryDefinitionId: string;
  readonly name: string;
  readonly queryString: string;
  readonly lastModified: number;
};

/** The queries an account keeps. As on AWS, what is kept need not be a query anybody can run. */
export class QueryDefinitions {
  private readonly byId = new Map<string, KeptQuery>();

  has(id: string): boolean {
    return this.byId.has(id);
  }

  /** @throws AwsError when the account keeps as many as it may */
  put(query: KeptQuery): void {
    if (!this.has(query.queryDefinitionId) && this.byId.size >= MAX_DEFINITIONS) throw limitExceeded();
    this.byId.set(query.queryDefinitionId, query);
  }

  /** @throws AwsError when there is none with this id */
  delete(id: string): void {
    if (!this.byId.delete(id)) throw resourceMissing();
  }

  /** In the order of their names. */
  list(prefix: string): readonly KeptQuery[] {
    return [...this.byId.values()]
      .filter(({ name }) => name.startsWith(prefix))
      .sort((a, b) =>
        a.name === b.name ? (a.queryDefinitionId < b.queryDefinitionId ? -1 : 1) : a.name < b.name ? -1 : 1,
      );
  }
}
