import { type Document, parseDocument, type ToStringOptions } from "yaml";

/** Returns the text of a file after an edit; undefined if printing it would change more than that. */
export function editedYaml(text: string, edit: (document: Document) => void): string | undefined {
  const document = parseDocument(text, { logLevel: "silent" });
  const form = formOf(document, text);
  if (form === undefined) return undefined;
  edit(document);
  return document.toString(form);
}

/** Returns how the document prints as the very text; undefined if it can't. */
function formOf(document: Document, text: string): ToStringOptions | undefined {
  if (document.errors.length > 0) return undefined;
  const both = [true, false];
  const forms = [2, 4].flatMap((indent) =>
    both.flatMap((indentSeq) =>
      both.map((flowCollectionPadding) => ({ lineWidth: 0, indent, indentSeq, flowCollectionPadding })),
    ),
  );
  return forms.find((form) => document.toString(form) === text);
}
