/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What does a YAML text say, and where?
 *
 * libyaml reads it. Every node knows its line, so that what is found wrong
 * later, such as an LLC that is not there, is said with the line too. JSON is
 * YAML, and is read as well. Scalars are taken as text: `off` is a word here,
 * not a boolean.
 *
 * Pure: nothing here reads a file or prints, but document_put(), which prints.
 */
#ifndef LLCCTL_DOCUMENT_H
#define LLCCTL_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <yaml.h>

#include "util.h"

/**
 * struct document - one YAML document
 * @name: of the file, for messages; not owned
 * @yaml: its nodes
 */
struct document {
	const char *name;
	yaml_document_t yaml;
};

/**
 * struct field - a key of a mapping
 * @key: its name
 * @type: YAML_SCALAR_NODE or YAML_SEQUENCE_NODE
 * @required: it must be there
 * @node: set to its value, NULL if it is not there
 */
struct field {
	const char *key;
	yaml_node_type_t type;
	bool required;
	yaml_node_t *node;
};

/**
 * document_load() - take a text apart
 * @name: of the file, for messages; kept
 * @text: need not end with NUL
 * @len: bytes
 * @why: set after an error, with name and line
 *
 * document_free() it after success.
 *
 * Return: 0; -EINVAL: not YAML, no document, or more than one.
 */
int document_load(struct document *d, const char *name, const char *text,
		  size_t len, struct why *why);
void document_free(struct document *d);

/* The outermost node. */
yaml_node_t *document_root(struct document *d);

/* Item @i of a sequence, NULL behind the last. */
yaml_node_t *document_item(struct document *d, const yaml_node_t *list,
			   size_t i);

/**
 * document_fields() - take a mapping apart
 * @node: should be a mapping
 * @what: what it is, for messages: "a rule"
 * @fields: the keys it may have; their values are filled in
 * @why: set after an error, with name and line
 *
 * Return: 0; -EINVAL: no mapping, a key that is not known, is there twice or
 * is missing, a value of the wrong type.
 */
int document_fields(struct document *d, yaml_node_t *node, const char *what,
		    struct field *fields, size_t nr, struct why *why);

/* The text of a scalar. */
const char *document_text(const yaml_node_t *node);

/* The line it begins on, from 1. */
unsigned int document_line(const yaml_node_t *node);

/**
 * document_error() - state what is wrong, and where
 * @line: from 1
 * @text: the sentence
 *
 * Return: @code
 */
int document_error(const char *name, unsigned int line, int code,
		   struct why *why, const char *text);

/* False for a text that YAML cannot have: it is not UTF-8. */
bool document_can_hold(const char *text);

/**
 * struct entry - a line to be written
 * @key: what stands before the colon
 * @text: what stands behind
 */
struct entry {
	const char *key;
	const char *text;
};

/**
 * document_put() - print a list of mappings under a key
 * @out: where to
 * @head: entries before the list
 * @key: of the list
 * @rows: @nr_rows times @width entries
 *
 * What a reader of YAML 1.1 would take for a number, a boolean or nothing is
 * quoted.
 *
 * Return: 0; -EILSEQ: document_can_hold() not one of the texts, and the output
 * is cut short; -EIO: @out takes no more.
 */
int document_put(FILE *out, const struct entry *head, size_t nr_head,
		 const char *key, const struct entry *rows, size_t nr_rows,
		 size_t width);

#endif
