// SPDX-License-Identifier: GPL-2.0
/*
 * What did the last `llcctl apply` change, so that it can be taken back?
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "document.h"
#include "state.h"

#define NAME		"llcctl/apply.yaml"

/* Cgroup ids begin anew with each start of the machine. */
#define BOOT_ID		"/proc/sys/kernel/random/boot_id"

char *state_path(const char *sysroot, struct why *why)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");

	if (!geteuid())
		return xasprintf("%s/run/" NAME, sysroot);
	if (dir && *dir)
		return xasprintf("%s/" NAME, dir);
	why_set(why, 0, "there is no place to keep what was there before: XDG_RUNTIME_DIR is not set (--state FILE names one)");
	return NULL;
}

static char *dir_of(const char *path)
{
	char *copy = xstrdup(path), *dir = xstrdup(dirname(copy));

	free(copy);
	return dir;
}

static int cannot(struct why *why, const char *verb, const char *path,
		  int code)
{
	return why_set(why, code, "cannot %s %s: %s", verb, path,
		       strerror(-code));
}

int state_lock(const char *path, struct why *why)
{
	char *lock = xasprintf("%s.lock", path), *dir = dir_of(path);
	int fd = -1, ret = 0;

	if (mkdir(dir, 0755) && errno != EEXIST)
		ret = cannot(why, "make", dir, -errno);
	if (!ret) {
		fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
			  0600);
		if (fd < 0)
			ret = cannot(why, "open", lock, -errno);
	}
	if (!ret && flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno == EWOULDBLOCK)
			warnx("waiting for another llcctl apply or rollback to end");
		if (flock(fd, LOCK_EX))
			ret = cannot(why, "lock", lock, -errno);
	}
	if (ret && fd >= 0)
		close(fd);
	free(lock);
	free(dir);
	return ret ? ret : fd;
}

/* The id of this start of the machine; the caller frees. */
static char *boot_id(void)
{
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	char *text, *id;

	if (fd < 0)
		return xstrdup("unknown");
	if (read_fd(fd, &text))
		text = xstrdup("unknown");
	close(fd);
	id = xstrdup(trim(text));
	free(text);
	return id;
}

/* ---- writing ---- */

static bool is_kept(const struct step *s)
{
	return s->result == STEP_PLANNED || s->result == STEP_WRITTEN ||
	       s->result == STEP_LEFT;
}

static int put(FILE *out, const struct plan *plan)
{
	struct entry *rows = xcalloc(4 * plan->nr + 1, sizeof(*rows)), *e;
	char **ids = xcalloc(plan->nr + 1, sizeof(*ids)), *boot = boot_id();
	const struct entry head = { "boot", boot };
	size_t i, nr = 0;
	int ret;

	for (i = 0; i < plan->nr; i++) {
		const struct step *s = &plan->steps[i];

		if (!is_kept(s))
			continue;
		ids[nr] = xasprintf("%" PRIu64, s->id);
		e = &rows[4 * nr];
		e[0] = (struct entry){ "cgroup", s->path };
		e[1] = (struct entry){ "id", ids[nr++] };
		e[2] = (struct entry){ "was", s->was };
		e[3] = (struct entry){ "value", s->value };
	}
	ret = document_put(out, &head, 1, "changed", rows, nr, 4);
	for (i = 0; i < nr; i++)
		free(ids[i]);
	free(ids);
	free(rows);
	free(boot);
	return ret;
}

/* What was done in a directory is safe when the directory is. */
static int sync_dir(const char *path)
{
	char *dir = dir_of(path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;

	free(dir);
	if (fd < 0 || fsync(fd))
		ret = -errno;
	if (fd >= 0)
		close(fd);
	return ret;
}

static int write_file(int fd, const struct plan *plan)
{
	FILE *out = fdopen(fd, "w");
	int ret;

	if (!out) {
		ret = -errno;
		close(fd);
		return ret;
	}
	ret = put(out, plan);
	if (!ret && (fflush(out) || fsync(fd)))
		ret = -errno;
	if (fclose(out) && !ret)
		ret = -errno;
	return ret;
}

static int replace(const char *path, const struct plan *plan)
{
	char *tmp = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(tmp, O_CLOEXEC), ret;

	if (fd < 0) {
		ret = -errno;
		free(tmp);
		return ret;
	}
	ret = write_file(fd, plan);
	if (!ret && rename(tmp, path))
		ret = -errno;
	if (ret)
		unlink(tmp);
	free(tmp);
	return ret;
}

int state_save(const char *path, const struct plan *plan, struct why *why)
{
	size_t i, kept = 0;
	int ret = 0;

	for (i = 0; i < plan->nr; i++)
		kept += is_kept(&plan->steps[i]);
	if (kept)
		ret = replace(path, plan);
	else if (unlink(path) && errno != ENOENT)
		ret = -errno;
	if (!ret)
		ret = sync_dir(path);
	return ret ? cannot(why, "write", path, ret) : 0;
}

/* ---- reading ---- */

static int parse_step(struct document *d, yaml_node_t *node, struct plan *plan,
		      struct why *why)
{
	enum { CGROUP, ID, WAS, VALUE };
	struct field f[] = {
		[CGROUP] = { "cgroup", YAML_SCALAR_NODE, true, NULL },
		[ID]	 = { "id", YAML_SCALAR_NODE, true, NULL },
		[WAS]	 = { "was", YAML_SCALAR_NODE, true, NULL },
		[VALUE]	 = { "value", YAML_SCALAR_NODE, true, NULL },
	};
	const char *text;
	uint64_t id;
	char *end;
	int ret;

	ret = document_fields(d, node, "a change", f, ARRAY_SIZE(f), why);
	if (ret)
		return ret;
	text = document_text(f[ID].node);
	errno = 0;
	id = strtoull(text, &end, 10);
	if (!strchr("0123456789", *text) || *end || end == text || errno)
		return document_error(d->name, document_line(f[ID].node),
				      -EINVAL, why, "the id is not a number");
	plan_add(plan, document_text(f[CGROUP].node), id,
		 document_text(f[WAS].node), document_text(f[VALUE].node));
	return 0;
}

int state_parse(const char *name, const char *text, size_t len,
		const char *boot, struct plan *plan, struct why *why)
{
	struct field f[] = {
		{ "boot", YAML_SCALAR_NODE, true, NULL },
		{ "changed", YAML_SEQUENCE_NODE, true, NULL },
	};
	struct document d;
	yaml_node_t *node;
	size_t i;
	int ret;

	*plan = (struct plan){ 0 };
	ret = document_load(&d, name, text, len, why);
	if (ret)
		return ret;
	ret = document_fields(&d, document_root(&d), "a state", f,
			      ARRAY_SIZE(f), why);
	if (!ret && strcmp(document_text(f[0].node), boot))
		ret = why_set(why, -ESTALE,
			      "%s is from before this machine was started; its cgroups are gone",
			      name);
	for (i = 0; !ret && (node = document_item(&d, f[1].node, i)); i++)
		ret = parse_step(&d, node, plan, why);
	if (ret)
		plan_free(plan);
	document_free(&d);
	return ret;
}

int state_load(const char *path, struct plan *plan, struct why *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	char *text, *boot;
	size_t len;

	ret = fd < 0 ? -errno : read_fd_len(fd, &text, &len);
	if (fd >= 0)
		close(fd);
	if (ret)
		return cannot(why, "read", path, ret);
	boot = boot_id();
	ret = state_parse(path, text, len, boot, plan, why);
	free(boot);
	free(text);
	return ret;
}
