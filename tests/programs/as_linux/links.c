/* What symbolic links do on Linux: it passes there, and so it has to in simulation. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fails(int result, int error) {
  return result == -1 && errno == error;
}

static void write_to(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static const char* read_from(const char* path) {
  static char text[100];
  FILE* file = fopen(path, "r");
  memset(text, 0, sizeof text);
  if (file == NULL) return "";
  assert(fread(text, 1, sizeof text - 1, file) > 0 && fclose(file) == 0);
  return text;
}

static void links_to_files(void) {
  struct stat of_link, of_file;
  char text[100];
  write_to("new.txt", "new");
  assert(symlink("new.txt", "link") == 0 && strcmp(read_from("link"), "new") == 0);
  assert(lstat("link", &of_link) == 0 && S_ISLNK(of_link.st_mode) && of_link.st_size == 7);
  assert(stat("link", &of_file) == 0 && S_ISREG(of_file.st_mode) && of_file.st_size == 3);
  assert(readlink("link", text, sizeof text) == 7 && memcmp(text, "new.txt", 7) == 0);
  assert(readlink("link", text, 3) == 3 && fails(readlink("new.txt", text, 3), EINVAL));
  write_to("link", "newer");
  assert(strcmp(read_from("new.txt"), "newer") == 0);
  assert(fails(symlink("x", "link"), EEXIST) && fails(symlink("", "y"), ENOENT));
  assert(fails(mkdir("link", 0700), EEXIST) && fails(symlink("x", "none/y"), ENOENT));
  assert(fails(open("link", O_RDONLY | O_NOFOLLOW), ELOOP));
  assert(fails(open("link", O_WRONLY | O_CREAT | O_EXCL, 0600), EEXIST));
  assert(rename("link", "moved") == 0 && fails(lstat("link", &of_link), ENOENT));
  assert(link("moved", "twin") == 0 && unlink("moved") == 0 &&
         strcmp(read_from("twin"), "newer") == 0);
  assert(unlink("twin") == 0 && access("new.txt", F_OK) == 0);
}

static void links_that_lead_nowhere(void) {
  struct stat found;
  assert(symlink("later.txt", "early") == 0 && fails(stat("early", &found), ENOENT));
  assert(lstat("early", &found) == 0 && fails(access("early", F_OK), ENOENT));
  write_to("early", "made");
  assert(strcmp(read_from("later.txt"), "made") == 0);
  assert(symlink("b", "a") == 0 && symlink("a", "b") == 0);
  assert(fails(stat("a", &found), ELOOP) && fails(open("b", O_RDONLY), ELOOP));
  assert(unlink("a") == 0 && unlink("b") == 0);
}

static void links_to_directories(void) {
  char text[PATH_MAX], wanted[PATH_MAX + 20];
  int names = 0;
  assert(mkdir("some", 0700) == 0 && symlinkat("some", AT_FDCWD, "place") == 0);
  write_to("place/one", "in it");
  assert(strcmp(read_from("some/one"), "in it") == 0 && symlink("../given", "some/up") == 0);
  assert(strcmp(read_from("place/up/old.txt"), "old\n") == 0);
  write_to("place/up/two", "beside");
  assert(strcmp(read_from("given/two"), "beside") == 0);
  DIR* directory = opendir("place");
  while (readdir(directory) != NULL) ++names;
  assert(closedir(directory) == 0 && names == 4);
  assert(getcwd(text, sizeof text) != NULL);
  snprintf(wanted, sizeof wanted, "%s/some/one", text);
  assert(realpath("place/one", text) != NULL && strcmp(text, wanted) == 0);
  int file = open("place", O_RDONLY | O_DIRECTORY);
  assert(readlinkat(file, "up", text, sizeof text) == 8 && memcmp(text, "../given", 8) == 0);
  assert(chdir("place") == 0 && strcmp(read_from("one"), "in it") == 0 && chdir("..") == 0);
  assert(fails(rmdir("place"), ENOTDIR) && unlink("place") == 0 && access("some/one", F_OK) == 0);
  close(file);
}

static void* nothing(void* unused) {
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, nothing, NULL);
  pthread_join(other, NULL);
  links_to_files();
  links_that_lead_nowhere();
  links_to_directories();
  puts("good");
  return 0;
}
