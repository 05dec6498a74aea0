// SPDX-License-Identifier: GPL-2.0
/*
 * What does a YAML text say, and where?
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "document.h"
#include "llcctl.h"

int document_error(const char *name, unsigned int line, int code,
		   struct why *why, const char *text)
{
	return why_set(why, code, "%s:%u: %s", name, line, text);
}

/* What libyaml found, and the line. It has no mark for text in a bad encoding. */
static int syntax_error(const yaml_parser_t *p, const char *name,
			const char *text, size_t len, struct why *why)
{
	size_t i, line = p->problem_mark.line + 1;

	if (p->error == YAML_MEMORY_ERROR)
		errx(EXIT_FAILED, "cannot allocate memory");
	if (p->error == YAML_READER_ERROR)
		for (i = 0, line = 1; i < len && i < p->problem_offset; i++)
			line += text[i] == '\n';
	return why_set(why, -EINVAL, "%s:%zu: this is not YAML: %s%s%s", name,
		       line, p->problem ? p->problem : "it cannot be read",
		       p->context ? " " : "", p->context ? p->context : "");
}

int document_load(struct document *d, const char *name, const char *text,
		  size_t len, struct why *why)
{
	yaml_document_t more;
	yaml_parser_t parser;
	yaml_node_t *node;
	int ret = 0;

	d->name = name;
	if (!yaml_parser_initialize(&parser))
		err(EXIT_FAILED, "cannot allocate memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	if (!yaml_parser_load(&parser, &d->yaml)) {
		ret = syntax_error(&parser, name, text, len, why);
		goto out;
	}
	if (!document_root(d)) {
		ret = why_set(why, -EINVAL, "%s: the file is empty", name);
	} else if (!yaml_parser_load(&parser, &more)) {
		ret = syntax_error(&parser, name, text, len, why);
	} else {
		node = yaml_document_get_root_node(&more);
		if (node)
			ret = document_error(name, document_line(node), -EINVAL,
					     why, "a second document begins here, a file has one");
		yaml_document_delete(&more);
	}
	if (ret)
		document_free(d);
out:
	yaml_parser_delete(&parser);
	return ret;
}

void document_free(struct document *d)
{
	yaml_document_delete(&d->yaml);
}

yaml_node_t *document_root(struct document *d)
{
	return yaml_document_get_root_node(&d->yaml);
}

yaml_node_t *document_item(struct document *d, const yaml_node_t *list,
			   size_t i)
{
	const yaml_node_item_t *first = list->data.sequence.items.start;

	if (i >= (size_t)(list->data.sequence.items.top - first))
		return NULL;
	return yaml_document_get_node(&d->yaml, first[i]);
}

const char *document_text(const yaml_node_t *node)
{
	return (const char *)node->data.scalar.value;
}

unsigned int document_line(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

/* A scalar that is one line of text, as everything here is. */
static const char *wrong_scalar(const yaml_node_t *node)
{
	if (node->type != YAML_SCALAR_NODE)
		return "a single value is wanted here";
	if (strcmp((const char *)node->tag, YAML_STR_TAG))
		return "a value with a tag ('!!...') is not taken, write it as text";
	if (strlen(document_text(node)) != node->data.scalar.length)
		return "a text has no NUL in it";
	return NULL;
}

static int wrong(const struct document *d, const yaml_node_t *node,
		 struct why *why, const char *text)
{
	return document_error(d->name, document_line(node), -EINVAL, why, text);
}

/* "cgroup, unit, prefer" */
static char *list_keys(const struct field *fields, size_t nr)
{
	char *text = xstrdup(""), *more;
	size_t i;

	for (i = 0; i < nr; i++) {
		more = xasprintf("%s%s%s", text, i ? ", " : "", fields[i].key);
		free(text);
		text = more;
	}
	return text;
}

static int unknown_key(const struct document *d, const yaml_node_t *key,
		       const char *what, const struct field *fields, size_t nr,
		       struct why *why)
{
	char *keys = list_keys(fields, nr);
	int ret;

	ret = why_set(why, -EINVAL, "%s:%u: %s has no key '%.100s' (it has: %s)",
		      d->name, document_line(key), what, document_text(key),
		      keys);
	free(keys);
	return ret;
}

static int take_field(struct document *d, const yaml_node_pair_t *pair,
		      const char *what, struct field *fields, size_t nr,
		      struct why *why)
{
	yaml_node_t *key = yaml_document_get_node(&d->yaml, pair->key);
	yaml_node_t *value = yaml_document_get_node(&d->yaml, pair->value);
	const char *said = wrong_scalar(key);
	struct field *f;

	if (said)
		return wrong(d, key, why, said);
	for (f = fields; f < fields + nr; f++)
		if (!strcmp(f->key, document_text(key)))
			break;
	if (f == fields + nr)
		return unknown_key(d, key, what, fields, nr, why);
	if (f->node)
		return why_set(why, -EINVAL,
			       "%s:%u: the key '%s' is there twice, first on line %u",
			       d->name, document_line(key), f->key,
			       document_line(f->node));
	f->node = value;
	if (f->type == YAML_SCALAR_NODE)
		said = wrong_scalar(value);
	else if (value->type != f->type)
		said = "a list is wanted here (lines that begin with '- ')";
	return said ? wrong(d, value, why, said) : 0;
}

int document_fields(struct document *d, yaml_node_t *node, const char *what,
		    struct field *fields, size_t nr, struct why *why)
{
	yaml_node_pair_t *pair;
	size_t i;
	int ret;

	for (i = 0; i < nr; i++)
		fields[i].node = NULL;
	if (node->type != YAML_MAPPING_NODE)
		return why_set(why, -EINVAL,
			       "%s:%u: %s is written as 'key: value'",
			       d->name, document_line(node), what);
	for (pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		ret = take_field(d, pair, what, fields, nr, why);
		if (ret)
			return ret;
	}
	for (i = 0; i < nr; i++)
		if (fields[i].required && !fields[i].node)
			return why_set(why, -EINVAL,
				       "%s:%u: %s lacks the key '%s'", d->name,
				       document_line(node), what,
				       fields[i].key);
	return 0;
}

/* ---- writing ---- */

bool document_can_hold(const char *text)
{
	yaml_event_t ev;

	if (!yaml_scalar_event_initialize(&ev, NULL, NULL,
					  (const unsigned char *)text,
					  strlen(text), 1, 1,
					  YAML_ANY_SCALAR_STYLE))
		return false;
	yaml_event_delete(&ev);
	return true;
}

/* Would a reader of YAML 1.1 take @text for something else than text? */
static bool is_plain(const char *text)
{
	static const char *const words[] = {
		"y", "n", "yes", "no", "on", "off", "true", "false", "null",
	};
	size_t i;

	if (!isalpha((unsigned char)*text) && *text != '/')
		return false;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(text, words[i]))
			return false;
	return true;
}

/* Returns false if @text cannot be written. */
static bool put_text(yaml_emitter_t *em, const char *text, bool key)
{
	yaml_event_t ev;

	if (!yaml_scalar_event_initialize(&ev, NULL, NULL,
					  (const unsigned char *)text,
					  strlen(text), 1, 1,
					  key || is_plain(text) ?
					  YAML_PLAIN_SCALAR_STYLE :
					  YAML_SINGLE_QUOTED_SCALAR_STYLE))
		return false;
	yaml_emitter_emit(em, &ev);
	return true;
}

static bool put_entries(yaml_emitter_t *em, const struct entry *e, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!put_text(em, e[i].key, true) ||
		    !put_text(em, e[i].text, false))
			return false;
	return true;
}

static void begin_map(yaml_emitter_t *em)
{
	yaml_event_t ev;

	yaml_mapping_start_event_initialize(&ev, NULL, NULL, 1,
					    YAML_BLOCK_MAPPING_STYLE);
	yaml_emitter_emit(em, &ev);
}

static void end_map(yaml_emitter_t *em)
{
	yaml_event_t ev;

	yaml_mapping_end_event_initialize(&ev);
	yaml_emitter_emit(em, &ev);
}

static bool put_list(yaml_emitter_t *em, const struct entry *rows,
		     size_t nr_rows, size_t width)
{
	yaml_event_t ev;
	size_t i;
	bool ok = true;

	yaml_sequence_start_event_initialize(&ev, NULL, NULL, 1,
					     nr_rows ?
					     YAML_BLOCK_SEQUENCE_STYLE :
					     YAML_FLOW_SEQUENCE_STYLE);
	yaml_emitter_emit(em, &ev);
	for (i = 0; i < nr_rows && ok; i++) {
		begin_map(em);
		ok = put_entries(em, rows + i * width, width);
		if (ok)
			end_map(em);
	}
	yaml_sequence_end_event_initialize(&ev);
	if (ok)
		yaml_emitter_emit(em, &ev);
	return ok;
}

int document_put(FILE *out, const struct entry *head, size_t nr_head,
		 const char *key, const struct entry *rows, size_t nr_rows,
		 size_t width)
{
	yaml_emitter_t em;
	yaml_event_t ev;
	bool ok;
	int ret;

	if (!yaml_emitter_initialize(&em))
		err(EXIT_FAILED, "cannot allocate memory");
	yaml_emitter_set_output_file(&em, out);
	yaml_emitter_set_unicode(&em, 1);
	/* A line a value: for `diff`. */
	yaml_emitter_set_width(&em, -1);
	yaml_stream_start_event_initialize(&ev, YAML_UTF8_ENCODING);
	yaml_emitter_emit(&em, &ev);
	yaml_document_start_event_initialize(&ev, NULL, NULL, NULL, 1);
	yaml_emitter_emit(&em, &ev);
	begin_map(&em);
	ok = put_entries(&em, head, nr_head) && put_text(&em, key, true) &&
	     put_list(&em, rows, nr_rows, width);
	if (ok) {
		end_map(&em);
		yaml_document_end_event_initialize(&ev, 1);
		yaml_emitter_emit(&em, &ev);
		yaml_stream_end_event_initialize(&ev);
		yaml_emitter_emit(&em, &ev);
	}
	ret = !ok ? -EILSEQ : em.error == YAML_NO_ERROR ? 0 : -EIO;
	yaml_emitter_delete(&em);
	return ret;
}
